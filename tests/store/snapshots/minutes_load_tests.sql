SELECT `minutes`.`load_test`, `minutes`.`service`, `minutes`.`model`, sum(`minutes`.`requests`) AS `requests`, min(`minutes`.`minute_ns`) AS `first_ns`, max(`minutes`.`minute_ns`) + %(max_1)s AS `last_ns`
FROM (SELECT `request_minutes`.`service` AS `service`, `request_minutes`.`model` AS `model`, `request_minutes`.`minute_ns` AS `minute_ns`, `request_minutes`.`load_test` AS `load_test`, `request_minutes`.`requests` AS `requests`
FROM `request_minutes`
WHERE (`request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`) IN (SELECT `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`
FROM `request_minutes`
WHERE `request_minutes`.`load_test` != %(load_test_1)s) AND (`request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`, `request_minutes`.`build`) IN (SELECT `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`, max(`request_minutes`.`build`) AS `max_2`
FROM `request_minutes`
WHERE `request_minutes`.`build` <= %(build_1)s AND (`request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`) IN (SELECT `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`
FROM `request_minutes`
WHERE `request_minutes`.`load_test` != %(load_test_1)s) GROUP BY `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`) AND `request_minutes`.`requests` > %(requests_1)s) AS `minutes`
WHERE `minutes`.`load_test` != %(load_test_2)s GROUP BY `minutes`.`load_test`, `minutes`.`service`, `minutes`.`model` ORDER BY max(`minutes`.`minute_ns`) DESC, `minutes`.`load_test`, `minutes`.`service`, `minutes`.`model`
 LIMIT %(param_1)s
-- build_1 = 7
-- load_test_1 = ''
-- load_test_2 = ''
-- max_1 = 60000000000
-- param_1 = 10000
-- requests_1 = 0
