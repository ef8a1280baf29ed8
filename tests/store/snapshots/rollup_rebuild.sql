INSERT INTO `request_minutes` (`service`, `model`, `minute_ns`, `build`, `service_tier`, `load_test`, `load_test_step`, `offered_rps`, `replicas_ready`, `load_rps`, `requests`, `defective`, `outcome_completed`, `outcome_failed`, `outcome_timed_out`, `outcome_aborted`, `outcome_rejected`, `outcome_unknown`, `defect_error`, `defect_rejected`, `defect_timeout`, `defect_aborted`, `defect_truncated`, `defect_empty`, `defect_invalid`, `defect_slow`, `defect_lost`, `defect_mismatch`, `input_tokens`, `output_tokens`, `e2e_sketch`, `ttft_sketch`) SELECT `counted`.`service` AS `service`, `counted`.`model` AS `model`, `counted`.`minute_ns` AS `minute_ns`, %(param_1)s AS `build`, `counted`.`service_tier` AS `service_tier`, `counted`.`load_test` AS `load_test`, `counted`.`load_test_step` AS `load_test_step`, `counted`.`offered_rps` AS `offered_rps`, greatest(`ready`.`replicas`, %(greatest_1)s) AS `replicas_ready`, if(`counted`.`load_test` = %(load_test_1)s, divide(divide(sum(if(`counted`.`load_test` = %(load_test_2)s, `counted`.`requests`, %(if_1)s)) OVER (PARTITION BY `counted`.`service`, `counted`.`model`, `counted`.`minute_ns`), %(divide_1)s), greatest(`ready`.`replicas`, %(greatest_1)s)), `counted`.`offered_rps`) AS `load_rps`, `counted`.`requests` AS `requests`, `counted`.`defective` AS `defective`, `counted`.`outcome_completed` AS `outcome_completed`, `counted`.`outcome_failed` AS `outcome_failed`, `counted`.`outcome_timed_out` AS `outcome_timed_out`, `counted`.`outcome_aborted` AS `outcome_aborted`, `counted`.`outcome_rejected` AS `outcome_rejected`, `counted`.`outcome_unknown` AS `outcome_unknown`, `counted`.`defect_error` AS `defect_error`, `counted`.`defect_rejected` AS `defect_rejected`, `counted`.`defect_timeout` AS `defect_timeout`, `counted`.`defect_aborted` AS `defect_aborted`, `counted`.`defect_truncated` AS `defect_truncated`, `counted`.`defect_empty` AS `defect_empty`, `counted`.`defect_invalid` AS `defect_invalid`, `counted`.`defect_slow` AS `defect_slow`, `counted`.`defect_lost` AS `defect_lost`, `counted`.`defect_mismatch` AS `defect_mismatch`, `counted`.`input_tokens` AS `input_tokens`, `counted`.`output_tokens` AS `output_tokens`, `counted`.`e2e_sketch` AS `e2e_sketch`, `counted`.`ttft_sketch` AS `ttft_sketch`
FROM (SELECT `latest`.`service` AS `service`, `latest`.`model` AS `model`, intDiv(`latest`.`anchor_ns`, %(intDiv_1)s) * %(intDiv_2)s AS `minute_ns`, `latest`.`service_tier` AS `service_tier`, `latest`.`load_test` AS `load_test`, toInt64(ifNull(`latest`.`load_test_step`, %(ifNull_1)s)) AS `load_test_step`, toFloat64(ifNull(`latest`.`offered_rps`, %(ifNull_2)s)) AS `offered_rps`, count(*) AS `requests`, countIf(`latest`.`defects` != %(defects_1)s) AS `defective`, countIf(`latest`.`outcome` = %(outcome_1)s) AS `outcome_completed`, countIf(`latest`.`outcome` = %(outcome_2)s) AS `outcome_failed`, countIf(`latest`.`outcome` = %(outcome_3)s) AS `outcome_timed_out`, countIf(`latest`.`outcome` = %(outcome_4)s) AS `outcome_aborted`, countIf(`latest`.`outcome` = %(outcome_5)s) AS `outcome_rejected`, countIf(`latest`.`outcome` = %(outcome_6)s) AS `outcome_unknown`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_1)s) != %(bitAnd_2)s) AS `defect_error`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_3)s) != %(bitAnd_4)s) AS `defect_rejected`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_5)s) != %(bitAnd_6)s) AS `defect_timeout`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_7)s) != %(bitAnd_8)s) AS `defect_aborted`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_9)s) != %(bitAnd_10)s) AS `defect_truncated`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_11)s) != %(bitAnd_12)s) AS `defect_empty`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_13)s) != %(bitAnd_14)s) AS `defect_invalid`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_15)s) != %(bitAnd_16)s) AS `defect_slow`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_17)s) != %(bitAnd_18)s) AS `defect_lost`, countIf(bitAnd(`latest`.`defects`, %(bitAnd_19)s) != %(bitAnd_20)s) AS `defect_mismatch`, toUInt64(sum(greatest(ifNull(`latest`.`input_tokens`, %(ifNull_3)s), %(greatest_2)s))) AS `input_tokens`, toUInt64(sum(greatest(ifNull(`latest`.`output_tokens`, %(ifNull_4)s), %(greatest_3)s))) AS `output_tokens`, sumMapIf(map(toInt64(ceil(divide(log(if(ifNull(`latest`.`e2e_s` > %(e2e_s_1)s AND isFinite(`latest`.`e2e_s`), %(ifNull_5)s), assumeNotNull(`latest`.`e2e_s`), %(if_2)s)), %(divide_2)s))), toUInt64(%(toUInt64_1)s)), ifNull(`latest`.`e2e_s` > %(e2e_s_1)s AND isFinite(`latest`.`e2e_s`), %(ifNull_5)s)) AS `e2e_sketch`, sumMapIf(map(toInt64(ceil(divide(log(if(ifNull(coalesce(`latest`.`server_ttft_s`, `latest`.`client_ttft_s`) > %(coalesce_1)s AND isFinite(coalesce(`latest`.`server_ttft_s`, `latest`.`client_ttft_s`)), %(ifNull_6)s), assumeNotNull(coalesce(`latest`.`server_ttft_s`, `latest`.`client_ttft_s`)), %(if_3)s)), %(divide_3)s))), toUInt64(%(toUInt64_2)s)), ifNull(coalesce(`latest`.`server_ttft_s`, `latest`.`client_ttft_s`) > %(coalesce_1)s AND isFinite(coalesce(`latest`.`server_ttft_s`, `latest`.`client_ttft_s`)), %(ifNull_6)s)) AS `ttft_sketch`
FROM (SELECT `requests`.`service` AS `service`, `requests`.`model` AS `model`, `requests`.`anchor_ns` AS `anchor_ns`, `requests`.`service_tier` AS `service_tier`, `requests`.`load_test` AS `load_test`, `requests`.`load_test_step` AS `load_test_step`, `requests`.`offered_rps` AS `offered_rps`, `requests`.`outcome` AS `outcome`, `requests`.`defects` AS `defects`, `requests`.`input_tokens` AS `input_tokens`, `requests`.`output_tokens` AS `output_tokens`, `requests`.`e2e_s` AS `e2e_s`, `requests`.`server_ttft_s` AS `server_ttft_s`, `requests`.`client_ttft_s` AS `client_ttft_s`, `requests`.`is_retracted` AS `is_retracted`, `requests`.`end_ns` AS `end_ns`, `requests`.`replica` AS `replica`
FROM `requests`
WHERE `requests`.`anchor_ns` >= %(anchor_ns_1)s AND `requests`.`anchor_ns` < %(anchor_ns_2)s ORDER BY `requests`.`anchor_ns`, `requests`.`request_key`, `requests`.`version` DESC
 LIMIT 1 BY `requests`.`anchor_ns`, `requests`.`request_key`) AS `latest`
WHERE `latest`.`anchor_ns` >= %(anchor_ns_3)s AND `latest`.`anchor_ns` < %(anchor_ns_4)s AND (`latest`.`service`, `latest`.`model`) IN ((%(param_2_1_1)s, %(param_2_1_2)s), (%(param_2_2_1)s, %(param_2_2_2)s)) AND NOT `latest`.`is_retracted` GROUP BY `latest`.`service`, `latest`.`model`, `minute_ns`, `latest`.`service_tier`, `latest`.`load_test`, `load_test_step`, `offered_rps`) AS `counted` LEFT OUTER JOIN (SELECT `seen`.`service` AS `service`, `seen`.`model` AS `model`, `seen`.`minute_ns` AS `minute_ns`, uniqExact(`seen`.`replica`) AS `replicas`
FROM (SELECT `latest`.`service` AS `service`, `latest`.`model` AS `model`, `latest`.`replica` AS `replica`, arrayJoin(array(intDiv(assumeNotNull(`latest`.`end_ns`), %(intDiv_3)s) * %(intDiv_4)s + %(param_3)s, intDiv(assumeNotNull(`latest`.`end_ns`), %(intDiv_5)s) * %(intDiv_6)s + %(param_4)s, intDiv(assumeNotNull(`latest`.`end_ns`), %(intDiv_7)s) * %(intDiv_8)s + %(param_5)s)) AS `minute_ns`
FROM (SELECT `requests`.`service` AS `service`, `requests`.`model` AS `model`, `requests`.`anchor_ns` AS `anchor_ns`, `requests`.`service_tier` AS `service_tier`, `requests`.`load_test` AS `load_test`, `requests`.`load_test_step` AS `load_test_step`, `requests`.`offered_rps` AS `offered_rps`, `requests`.`outcome` AS `outcome`, `requests`.`defects` AS `defects`, `requests`.`input_tokens` AS `input_tokens`, `requests`.`output_tokens` AS `output_tokens`, `requests`.`e2e_s` AS `e2e_s`, `requests`.`server_ttft_s` AS `server_ttft_s`, `requests`.`client_ttft_s` AS `client_ttft_s`, `requests`.`is_retracted` AS `is_retracted`, `requests`.`end_ns` AS `end_ns`, `requests`.`replica` AS `replica`
FROM `requests`
WHERE `requests`.`anchor_ns` >= %(anchor_ns_1)s AND `requests`.`anchor_ns` < %(anchor_ns_2)s ORDER BY `requests`.`anchor_ns`, `requests`.`request_key`, `requests`.`version` DESC
 LIMIT 1 BY `requests`.`anchor_ns`, `requests`.`request_key`) AS `latest`
WHERE `latest`.`end_ns` IS NOT NULL AND `latest`.`replica` != %(replica_1)s AND NOT `latest`.`is_retracted` AND (`latest`.`service`, `latest`.`model`) IN ((%(param_6_1_1)s, %(param_6_1_2)s), (%(param_6_2_1)s, %(param_6_2_2)s)) AND `latest`.`end_ns` - `latest`.`anchor_ns` <= %(param_7)s AND `latest`.`end_ns` < %(end_ns_1)s) AS `seen` GROUP BY `seen`.`service`, `seen`.`model`, `seen`.`minute_ns`) AS `ready` ON `counted`.`service` = `ready`.`service` AND `counted`.`model` = `ready`.`model` AND `counted`.`minute_ns` = `ready`.`minute_ns`
-- anchor_ns_1 = 1759998960000000000
-- anchor_ns_2 = 1760000040000000000
-- anchor_ns_3 = 1759999980000000000
-- anchor_ns_4 = 1760000040000000000
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
-- coalesce_1 = 0
-- defects_1 = 0
-- divide_1 = 60
-- divide_2 = 0.09531017980432493
-- divide_3 = 0.09531017980432493
-- e2e_s_1 = 0
-- end_ns_1 = 1760000040000000000
-- greatest_1 = 1
-- greatest_2 = 0
-- greatest_3 = 0
-- ifNull_1 = -1
-- ifNull_2 = 0
-- ifNull_3 = 0
-- ifNull_4 = 0
-- ifNull_5 = 0
-- ifNull_6 = 0
-- if_1 = 0
-- if_2 = 1.0
-- if_3 = 1.0
-- intDiv_1 = 60000000000
-- intDiv_2 = 60000000000
-- intDiv_3 = 60000000000
-- intDiv_4 = 60000000000
-- intDiv_5 = 60000000000
-- intDiv_6 = 60000000000
-- intDiv_7 = 60000000000
-- intDiv_8 = 60000000000
-- load_test_1 = ''
-- load_test_2 = ''
-- outcome_1 = 'completed'
-- outcome_2 = 'failed'
-- outcome_3 = 'timed_out'
-- outcome_4 = 'aborted'
-- outcome_5 = 'rejected'
-- outcome_6 = 'unknown'
-- param_1 = 8
-- param_2_1_1 = 'a'
-- param_2_1_2 = 'm'
-- param_2_2_1 = 'b'
-- param_2_2_2 = 'm'
-- param_3 = 0
-- param_4 = 60000000000
-- param_5 = 120000000000
-- param_6_1_1 = 'a'
-- param_6_1_2 = 'm'
-- param_6_2_1 = 'b'
-- param_6_2_2 = 'm'
-- param_7 = 900000000000
-- replica_1 = ''
-- toUInt64_1 = 1
-- toUInt64_2 = 1
