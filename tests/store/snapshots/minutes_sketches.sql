SELECT `minutes`.`service_tier`, toInt64(%(toInt64_1)s) + toInt64(`minutes`.`load_rps` > %(param_1)s) + toInt64(`minutes`.`load_rps` > %(param_2)s) AS `band`, sumMap(`minutes`.`e2e_sketch`) AS `e2e_sketch`, sumMap(`minutes`.`ttft_sketch`) AS `ttft_sketch`
FROM (SELECT `request_minutes`.`service_tier` AS `service_tier`, `request_minutes`.`load_test` AS `load_test`, `request_minutes`.`load_test_step` AS `load_test_step`, `request_minutes`.`load_rps` AS `load_rps`, `request_minutes`.`e2e_sketch` AS `e2e_sketch`, `request_minutes`.`ttft_sketch` AS `ttft_sketch`
FROM `request_minutes`
WHERE `request_minutes`.`minute_ns` >= %(minute_ns_1)s AND `request_minutes`.`minute_ns` < %(minute_ns_2)s AND `request_minutes`.`service` = %(service_1)s AND `request_minutes`.`model` = %(model_1)s AND (`request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`, `request_minutes`.`build`) IN (SELECT `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`, max(`request_minutes`.`build`) AS `max_1`
FROM `request_minutes`
WHERE `request_minutes`.`build` <= %(build_1)s AND `request_minutes`.`minute_ns` >= %(minute_ns_1)s AND `request_minutes`.`minute_ns` < %(minute_ns_2)s AND `request_minutes`.`service` = %(service_1)s AND `request_minutes`.`model` = %(model_1)s GROUP BY `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`) AND `request_minutes`.`requests` > %(requests_1)s) AS `minutes`
WHERE `minutes`.`load_test` = %(load_test_1)s GROUP BY `minutes`.`service_tier`, `band` ORDER BY `minutes`.`service_tier`, `band`
-- build_1 = 7
-- load_test_1 = ''
-- minute_ns_1 = 1759999980000000000
-- minute_ns_2 = 1760086380000000000
-- model_1 = 'm'
-- param_1 = 0.5
-- param_2 = 1.5
-- requests_1 = 0
-- service_1 = 'chat'
-- toInt64_1 = 0
