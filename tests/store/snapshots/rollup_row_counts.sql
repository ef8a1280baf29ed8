SELECT count(*) AS `all`, countIf((`request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`, `request_minutes`.`build`) IN (SELECT `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`, max(`request_minutes`.`build`) AS `max_1`
FROM `request_minutes`
WHERE `request_minutes`.`build` <= %(build_1)s GROUP BY `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`)) AS `current`
FROM `request_minutes`
WHERE `request_minutes`.`build` <= %(build_2)s
-- build_1 = 7
-- build_2 = 7
