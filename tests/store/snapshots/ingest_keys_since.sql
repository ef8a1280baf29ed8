SELECT `spans`.`trace_id`, `spans`.`span_id`
FROM `spans`
WHERE `spans`.`commit_seq` >= %(commit_seq_1)s ORDER BY `spans`.`commit_seq` DESC
 LIMIT %(param_1)s
-- commit_seq_1 = 7
-- param_1 = 1000
