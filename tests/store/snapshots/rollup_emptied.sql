INSERT INTO `request_minutes` (`service`, `model`, `minute_ns`, `build`, `service_tier`, `load_test`, `load_test_step`, `offered_rps`, `replicas_ready`, `load_rps`, `requests`, `defective`, `outcome_completed`, `outcome_failed`, `outcome_timed_out`, `outcome_aborted`, `outcome_rejected`, `outcome_unknown`, `defect_error`, `defect_rejected`, `defect_timeout`, `defect_aborted`, `defect_truncated`, `defect_empty`, `defect_invalid`, `defect_slow`, `defect_lost`, `defect_mismatch`, `input_tokens`, `output_tokens`) SELECT DISTINCT `request_minutes`.`service` AS `service`, `request_minutes`.`model` AS `model`, `request_minutes`.`minute_ns` AS `minute_ns`, %(param_1)s AS `build`, %(param_2)s AS `service_tier`, %(param_3)s AS `load_test`, %(param_4)s AS `load_test_step`, %(param_5)s AS `offered_rps`, %(param_6)s AS `replicas_ready`, %(param_7)s AS `load_rps`, %(param_8)s AS `requests`, %(param_9)s AS `defective`, %(param_10)s AS `outcome_completed`, %(param_11)s AS `outcome_failed`, %(param_12)s AS `outcome_timed_out`, %(param_13)s AS `outcome_aborted`, %(param_14)s AS `outcome_rejected`, %(param_15)s AS `outcome_unknown`, %(param_16)s AS `defect_error`, %(param_17)s AS `defect_rejected`, %(param_18)s AS `defect_timeout`, %(param_19)s AS `defect_aborted`, %(param_20)s AS `defect_truncated`, %(param_21)s AS `defect_empty`, %(param_22)s AS `defect_invalid`, %(param_23)s AS `defect_slow`, %(param_24)s AS `defect_lost`, %(param_25)s AS `defect_mismatch`, %(param_26)s AS `input_tokens`, %(param_27)s AS `output_tokens`
FROM `request_minutes`
WHERE `request_minutes`.`minute_ns` >= %(minute_ns_1)s AND `request_minutes`.`minute_ns` < %(minute_ns_2)s AND (`request_minutes`.`service`, `request_minutes`.`model`) IN ((%(param_28_1_1)s, %(param_28_1_2)s), (%(param_28_2_1)s, %(param_28_2_2)s)) AND `request_minutes`.`build` <= %(build_1)s AND ((`request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`) NOT IN (SELECT `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`
FROM `request_minutes`
WHERE `request_minutes`.`minute_ns` >= %(minute_ns_1)s AND `request_minutes`.`minute_ns` < %(minute_ns_2)s AND (`request_minutes`.`service`, `request_minutes`.`model`) IN ((%(param_28_1_1)s, %(param_28_1_2)s), (%(param_28_2_1)s, %(param_28_2_2)s)) AND `request_minutes`.`build` = %(build_2)s))
-- build_1 = 7
-- build_2 = 8
-- minute_ns_1 = 1759999980000000000
-- minute_ns_2 = 1760000040000000000
-- param_1 = 8
-- param_10 = 0
-- param_11 = 0
-- param_12 = 0
-- param_13 = 0
-- param_14 = 0
-- param_15 = 0
-- param_16 = 0
-- param_17 = 0
-- param_18 = 0
-- param_19 = 0
-- param_2 = ''
-- param_20 = 0
-- param_21 = 0
-- param_22 = 0
-- param_23 = 0
-- param_24 = 0
-- param_25 = 0
-- param_26 = 0
-- param_27 = 0
-- param_28_1_1 = 'a'
-- param_28_1_2 = 'm'
-- param_28_2_1 = 'b'
-- param_28_2_2 = 'm'
-- param_3 = ''
-- param_4 = -1
-- param_5 = 0
-- param_6 = 1
-- param_7 = 0
-- param_8 = 0
-- param_9 = 0
