SELECT `minutes`.`load_test`, `minutes`.`service`, `minutes`.`model`, sum(`minutes`.`requests`) AS `requests`, min(`minutes`.`minute_ns`) AS `first_ns`, max(`minutes`.`minute_ns`) + %(max_1)s AS `last_ns`
FROM (SELECT `counted`.`service` AS `service`, `counted`.`model` AS `model`, `counted`.`minute_ns` AS `minute_ns`, `counted`.`load_test` AS `load_test`, `counted`.`requests` AS `requests`
FROM (SELECT `latest`.`service` AS `service`, `latest`.`model` AS `model`, intDiv(`latest`.`anchor_ns`, %(intDiv_1)s) * %(intDiv_2)s AS `minute_ns`, `latest`.`service_tier` AS `service_tier`, `latest`.`load_test` AS `load_test`, toInt64(ifNull(`latest`.`load_test_step`, %(ifNull_1)s)) AS `load_test_step`, toFloat64(ifNull(`latest`.`offered_rps`, %(ifNull_2)s)) AS `offered_rps`, count(*) AS `requests`, countIf(`latest`.`defects` != %(defects_1)s) AS `defective`, countIf(`latest`.`outcome` = %(outcome_1)s) AS `outcome_completed`, countIf(`latest`.`outcome` = %(outcome_2)s) AS `outcome_failed`, countIf(`latest`.`outcome` = %(outcome_3)s) AS `outcome_timed_out`, countIf(`latest`.`outcome` = %(outcome_4)s) AS `outcome_aborted`, countIf(`latest`.`outcome` = %(outcome_5)s) AS `outcome_rejected`, countIf(`latest`.`outcome` = %(outcome_6)s) AS `outcome_unknown`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_1)s) != %(bitAnd_2)s) AS `defect_error`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_3)s) != %(bitAnd_4)s) AS `defect_rejected`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_5)s) != %(bitAnd_6)s) AS `defect_timeout`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_7)s) != %(bitAnd_8)s) AS `defect_aborted`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_9)s) != %(bitAnd_10)s) AS `defect_truncated`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_11)s) != %(bitAnd_12)s) AS `defect_empty`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_13)s) != %(bitAnd_14)s) AS `defect_invalid`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_15)s) != %(bitAnd_16)s) AS `defect_slow`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_17)s) != %(bitAnd_18)s) AS `defect_lost`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_19)s) != %(bitAnd_20)s) AS `defect_mismatch`, toUInt64(sum(greatest(ifNull(`latest`.`input_tokens`, %(ifNull_3)s), %(greatest_1)s))) AS `input_tokens`, toUInt64(sum(greatest(ifNull(`latest`.`output_tokens`, %(ifNull_4)s), %(greatest_2)s))) AS `output_tokens`, sumMapIf(map(toInt64(ceil(divide(log(if(ifNull(`latest`.`e2e_s` > %(e2e_s_1)s AND isFinite(`latest`.`e2e_s`), %(ifNull_5)s), assumeNotNull(`latest`.`e2e_s`), %(if_1)s)), %(divide_1)s))), toUInt64(%(toUInt64_1)s)), ifNull(`latest`.`e2e_s` > %(e2e_s_1)s AND isFinite(`latest`.`e2e_s`), %(ifNull_5)s)) AS `e2e_sketch`, sumMapIf(map(toInt64(ceil(divide(log(if(ifNull(coalesce(`latest`.`server_ttft_s`, `latest`.`client_ttft_s`) > %(coalesce_1)s AND isFinite(coalesce(`latest`.`server_ttft_s`, `latest`.`client_ttft_s`)), %(ifNull_6)s), assumeNotNull(coalesce(`latest`.`server_ttft_s`, `latest`.`client_ttft_s`)), %(if_2)s)), %(divide_2)s))), toUInt64(%(toUInt64_2)s)), ifNull(coalesce(`latest`.`server_ttft_s`, `latest`.`client_ttft_s`) > %(coalesce_1)s AND isFinite(coalesce(`latest`.`server_ttft_s`, `latest`.`client_ttft_s`)), %(ifNull_6)s)) AS `ttft_sketch`
FROM (SELECT `requests`.`service` AS `service`, `requests`.`model` AS `model`, `requests`.`anchor_ns` AS `anchor_ns`, `requests`.`service_tier` AS `service_tier`, `requests`.`load_test` AS `load_test`, `requests`.`load_test_step` AS `load_test_step`, `requests`.`offered_rps` AS `offered_rps`, `requests`.`outcome` AS `outcome`, `requests`.`defects` AS `defects`, `requests`.`input_tokens` AS `input_tokens`, `requests`.`output_tokens` AS `output_tokens`, `requests`.`e2e_s` AS `e2e_s`, `requests`.`server_ttft_s` AS `server_ttft_s`, `requests`.`client_ttft_s` AS `client_ttft_s`, `requests`.`is_retracted` AS `is_retracted`, `requests`.`tenant` AS `tenant`
FROM `requests`
WHERE intDiv(`requests`.`anchor_ns`, %(intDiv_3)s) * %(intDiv_4)s IN (SELECT DISTINCT `request_minutes`.`minute_ns`
FROM `request_minutes`
WHERE `request_minutes`.`load_test` != %(load_test_1)s AND `request_minutes`.`build` <= %(build_1)s) AND (`requests`.`anchor_ns`, `requests`.`request_key`) IN (SELECT `requests`.`anchor_ns`, `requests`.`request_key`
FROM `requests`
WHERE intDiv(`requests`.`anchor_ns`, %(intDiv_3)s) * %(intDiv_4)s IN (SELECT DISTINCT `request_minutes`.`minute_ns`
FROM `request_minutes`
WHERE `request_minutes`.`load_test` != %(load_test_1)s AND `request_minutes`.`build` <= %(build_1)s) AND `requests`.`tenant` IN (%(tenant_1_1)s, %(tenant_1_2)s)) ORDER BY `requests`.`anchor_ns`, `requests`.`request_key`, `requests`.`version` DESC
 LIMIT 1 BY `requests`.`anchor_ns`, `requests`.`request_key`) AS `latest`
WHERE `latest`.`tenant` IN (%(tenant_2_1)s, %(tenant_2_2)s) AND NOT `latest`.`is_retracted` GROUP BY `latest`.`service`, `latest`.`model`, `minute_ns`, `latest`.`service_tier`, `latest`.`load_test`, `load_test_step`, `offered_rps`) AS `counted` INNER JOIN (SELECT `minutes`.`service` AS `service`, `minutes`.`model` AS `model`, `minutes`.`minute_ns` AS `minute_ns`, `minutes`.`load_test` AS `load_test`, any(`minutes`.`replicas_ready`) AS `replicas_ready`, any(`minutes`.`load_rps`) AS `load_rps`
FROM (SELECT `request_minutes`.`service` AS `service`, `request_minutes`.`model` AS `model`, `request_minutes`.`minute_ns` AS `minute_ns`, `request_minutes`.`load_test` AS `load_test`, `request_minutes`.`replicas_ready` AS `replicas_ready`, `request_minutes`.`load_rps` AS `load_rps`
FROM `request_minutes`
WHERE (`request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`) IN (SELECT `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`
FROM `request_minutes`
WHERE `request_minutes`.`load_test` != %(load_test_2)s) AND (`request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`, `request_minutes`.`build`) IN (SELECT `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`, max(`request_minutes`.`build`) AS `max_2`
FROM `request_minutes`
WHERE `request_minutes`.`build` <= %(build_2)s AND (`request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`) IN (SELECT `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`
FROM `request_minutes`
WHERE `request_minutes`.`load_test` != %(load_test_2)s) GROUP BY `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`) AND `request_minutes`.`requests` > %(requests_1)s) AS `minutes` GROUP BY `minutes`.`service`, `minutes`.`model`, `minutes`.`minute_ns`, `minutes`.`load_test`) AS `known` ON `counted`.`service` = `known`.`service` AND `counted`.`model` = `known`.`model` AND `known`.`minute_ns` = `counted`.`minute_ns` AND `counted`.`load_test` = `known`.`load_test`) AS `minutes`
WHERE `minutes`.`load_test` != %(load_test_3)s GROUP BY `minutes`.`load_test`, `minutes`.`service`, `minutes`.`model` ORDER BY max(`minutes`.`minute_ns`) DESC, `minutes`.`load_test`, `minutes`.`service`, `minutes`.`model`
 LIMIT %(param_1)s
-- bitAnd_1 = 1
-- bitAnd_10 = 0
-- bitAnd_11 = 32
-- bitAnd_12 = 0
-- bitAnd_13 = 64
-- bitAnd_14 = 0
-- bitAnd_15 = 128
-- bitAnd_16 = 0
-- bitAnd_17 = 256
-- bitAnd_18 = 0
-- bitAnd_19 = 512
-- bitAnd_2 = 0
-- bitAnd_20 = 0
-- bitAnd_3 = 2
-- bitAnd_4 = 0
-- bitAnd_5 = 4
-- bitAnd_6 = 0
-- bitAnd_7 = 8
-- bitAnd_8 = 0
-- bitAnd_9 = 16
-- build_1 = 7
-- build_2 = 7
-- coalesce_1 = 0
-- defects_1 = 0
-- divide_1 = 0.09531017980432493
-- divide_2 = 0.09531017980432493
-- e2e_s_1 = 0
-- greatest_1 = 0
-- greatest_2 = 0
-- ifNull_1 = -1
-- ifNull_2 = 0
-- ifNull_3 = 0
-- ifNull_4 = 0
-- ifNull_5 = 0
-- ifNull_6 = 0
-- if_1 = 1.0
-- if_2 = 1.0
-- intDiv_1 = 60000000000
-- intDiv_2 = 60000000000
-- intDiv_3 = 60000000000
-- intDiv_4 = 60000000000
-- load_test_1 = ''
-- load_test_2 = ''
-- load_test_3 = ''
-- max_1 = 60000000000
-- outcome_1 = 'completed'
-- outcome_2 = 'failed'
-- outcome_3 = 'timed_out'
-- outcome_4 = 'aborted'
-- outcome_5 = 'rejected'
-- outcome_6 = 'unknown'
-- param_1 = 10000
-- requests_1 = 0
-- tenant_1_1 = 'a'
-- tenant_1_2 = "it's"
-- tenant_2_1 = 'a'
-- tenant_2_2 = "it's"
-- toUInt64_1 = 1
-- toUInt64_2 = 1
