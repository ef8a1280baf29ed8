SELECT count(*) AS `requests`, uniqExactIf(tuple(`latest`.`service`, `latest`.`model`, `latest`.`replica`), `latest`.`replica` != %(replica_1)s AND `latest`.`end_ns` IS NOT NULL) AS `replicas`
FROM (SELECT `requests`.`service` AS `service`, `requests`.`model` AS `model`, `requests`.`replica` AS `replica`, `requests`.`load_test` AS `load_test`, `requests`.`is_retracted` AS `is_retracted`, `requests`.`anchor_ns` AS `anchor_ns`, `requests`.`end_ns` AS `end_ns`
FROM `requests`
WHERE `requests`.`anchor_ns` >= %(anchor_ns_1)s AND `requests`.`anchor_ns` < %(anchor_ns_2)s ORDER BY `requests`.`anchor_ns`, `requests`.`request_key`, `requests`.`version` DESC
 LIMIT 1 BY `requests`.`anchor_ns`, `requests`.`request_key`) AS `latest`
WHERE NOT `latest`.`is_retracted` AND `latest`.`load_test` = %(load_test_1)s AND coalesce(`latest`.`end_ns`, `latest`.`anchor_ns`) >= %(coalesce_1)s AND coalesce(`latest`.`end_ns`, `latest`.`anchor_ns`) < %(coalesce_2)s AND `latest`.`service` = %(service_1)s AND `latest`.`model` = %(model_1)s
-- anchor_ns_1 = 1759996380000000000
-- anchor_ns_2 = 1760000040000000000
-- coalesce_1 = 1759999980000000000
-- coalesce_2 = 1760000040000000000
-- load_test_1 = ''
-- model_1 = 'm'
-- replica_1 = ''
-- service_1 = 's'
