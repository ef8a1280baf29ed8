SELECT count(*) AS `count_1`
FROM (SELECT `requests`.`is_retracted` AS `is_retracted`, `requests`.`tenant` AS `tenant`
FROM `requests`
WHERE `requests`.`import_id` = %(import_id_1)s ORDER BY `requests`.`anchor_ns`, `requests`.`request_key`, `requests`.`version` DESC
 LIMIT 1 BY `requests`.`anchor_ns`, `requests`.`request_key`) AS `latest`
WHERE NOT `latest`.`is_retracted` AND `latest`.`tenant` IN (%(tenant_1_1)s, %(tenant_1_2)s)
-- import_id_1 = 'i1'
-- tenant_1_1 = 'a'
-- tenant_1_2 = "it's"
