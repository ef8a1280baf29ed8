SELECT countIf(`latest`.`end_ns` >= %(end_ns_1)s AND `latest`.`end_ns` < %(end_ns_2)s OR `latest`.`end_ns` IS NULL AND `latest`.`anchor_ns` >= %(anchor_ns_1)s AND `latest`.`anchor_ns` < %(anchor_ns_2)s) AS `requests`, uniqExactIf(tuple(`latest`.`service`, `latest`.`model`, `latest`.`replica`), `latest`.`replica` != %(replica_1)s AND `latest`.`end_ns` IS NOT NULL) AS `replicas`
FROM (SELECT `requests`.`service` AS `service`, `requests`.`model` AS `model`, `requests`.`replica` AS `replica`, `requests`.`load_test` AS `load_test`, `requests`.`import_id` AS `import_id`, `requests`.`is_retracted` AS `is_retracted`, `requests`.`anchor_ns` AS `anchor_ns`, `requests`.`end_ns` AS `end_ns`
FROM `requests`
WHERE `requests`.`anchor_ns` >= %(anchor_ns_3)s AND `requests`.`anchor_ns` < %(anchor_ns_4)s AND (`requests`.`anchor_ns`, `requests`.`request_key`) IN (SELECT `requests`.`anchor_ns`, `requests`.`request_key`
FROM `requests`
WHERE `requests`.`anchor_ns` >= %(anchor_ns_5)s AND `requests`.`anchor_ns` < %(anchor_ns_6)s AND `requests`.`service` = %(service_1)s AND `requests`.`model` = %(model_1)s AND `requests`.`load_test` = %(load_test_1)s AND `requests`.`import_id` = %(import_id_1)s AND NOT `requests`.`is_retracted` AND (`requests`.`end_ns` >= %(end_ns_3)s AND `requests`.`end_ns` < %(end_ns_4)s OR `requests`.`end_ns` IS NULL AND `requests`.`anchor_ns` >= %(anchor_ns_7)s AND `requests`.`anchor_ns` < %(anchor_ns_8)s)) ORDER BY `requests`.`anchor_ns`, `requests`.`request_key`, `requests`.`version` DESC
 LIMIT 1 BY `requests`.`anchor_ns`, `requests`.`request_key`) AS `latest`
WHERE `latest`.`service` = %(service_2)s AND `latest`.`model` = %(model_2)s AND `latest`.`load_test` = %(load_test_2)s AND `latest`.`import_id` = %(import_id_2)s AND NOT `latest`.`is_retracted` AND (`latest`.`end_ns` >= %(end_ns_5)s AND `latest`.`end_ns` < %(end_ns_6)s OR `latest`.`end_ns` IS NULL AND `latest`.`anchor_ns` >= %(anchor_ns_9)s AND `latest`.`anchor_ns` < %(anchor_ns_10)s)
-- anchor_ns_1 = 1759999980000000000
-- anchor_ns_10 = 1760000040000000000
-- anchor_ns_2 = 1760000040000000000
-- anchor_ns_3 = 1759996320000000000
-- anchor_ns_4 = 1760000040000000000
-- anchor_ns_5 = 1759996320000000000
-- anchor_ns_6 = 1760000040000000000
-- anchor_ns_7 = 1759999920000000000
-- anchor_ns_8 = 1760000040000000000
-- anchor_ns_9 = 1759999920000000000
-- end_ns_1 = 1759999980000000000
-- end_ns_2 = 1760000040000000000
-- end_ns_3 = 1759999920000000000
-- end_ns_4 = 1760000040000000000
-- end_ns_5 = 1759999920000000000
-- end_ns_6 = 1760000040000000000
-- import_id_1 = ''
-- import_id_2 = ''
-- load_test_1 = ''
-- load_test_2 = ''
-- model_1 = 'm'
-- model_2 = 'm'
-- replica_1 = ''
-- service_1 = 's'
-- service_2 = 's'
