SELECT count(*) AS `count_1`
FROM (SELECT `requests`.`service` AS `service`, `requests`.`model` AS `model`, `requests`.`replica` AS `replica`, `requests`.`is_retracted` AS `is_retracted`, `requests`.`end_ns` AS `end_ns`
FROM `requests`
WHERE `requests`.`anchor_ns` >= %(anchor_ns_1)s AND `requests`.`anchor_ns` < %(anchor_ns_2)s ORDER BY `requests`.`anchor_ns`, `requests`.`request_key`, `requests`.`version` DESC
 LIMIT 1 BY `requests`.`anchor_ns`, `requests`.`request_key`) AS `latest`
WHERE `latest`.`service` = %(service_1)s AND `latest`.`model` = %(model_1)s AND `latest`.`replica` = %(replica_1)s AND NOT `latest`.`is_retracted` AND `latest`.`end_ns` > %(end_ns_1)s
-- anchor_ns_1 = 1759996380000000000
-- anchor_ns_2 = 1759999980000000000
-- end_ns_1 = 1759999980000000000
-- model_1 = 'm'
-- replica_1 = 'r'
-- service_1 = 's'
