DELETE FROM `request_minutes` WHERE `build` <= %(build_1)s AND ((`service`, `model`, `minute_ns`, `build`) NOT IN (SELECT `service`, `model`, `minute_ns`, max(`build`) AS `max_1`
FROM `request_minutes`
WHERE `build` <= %(build_2)s GROUP BY `service`, `model`, `minute_ns`))
-- build_1 = 7
-- build_2 = 7
