SELECT `spans`.`trace_id`, `spans`.`span_id`
FROM `spans` ORDER BY `spans`.`commit_seq` DESC
 LIMIT %(param_1)s
-- param_1 = 1000
