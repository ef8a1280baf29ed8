SELECT count(*) AS `count_1`
FROM (SELECT `requests`.`is_retracted` AS `is_retracted`
FROM `requests`
WHERE `requests`.`import_id` = %(import_id_1)s ORDER BY `requests`.`anchor_ns`, `requests`.`request_key`, `requests`.`version` DESC
 LIMIT 1 BY `requests`.`anchor_ns`, `requests`.`request_key`) AS `latest`
WHERE NOT `latest`.`is_retracted`
-- import_id_1 = "it's"
