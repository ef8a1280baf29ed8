SELECT DISTINCT `requests`.`service`, `requests`.`model`, intDiv(`requests`.`anchor_ns`, %(intDiv_1)s) * %(intDiv_2)s AS `minute_ns`
FROM `requests`
WHERE intDiv(`requests`.`anchor_ns`, %(intDiv_1)s) * %(intDiv_2)s IN (SELECT intDiv(`requests`.`anchor_ns`, %(intDiv_1)s) * %(intDiv_2)s AS `minute_ns`
FROM `requests`
WHERE `requests`.`version` BETWEEN %(version_1)s AND %(version_2)s) UNION ALL SELECT DISTINCT `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`
FROM `request_minutes`
WHERE `request_minutes`.`minute_ns` IN (SELECT intDiv(`requests`.`anchor_ns`, %(intDiv_1)s) * %(intDiv_2)s AS `minute_ns`
FROM `requests`
WHERE `requests`.`version` BETWEEN %(version_1)s AND %(version_2)s)
-- intDiv_1 = 60000000000
-- intDiv_2 = 60000000000
-- version_1 = 42
-- version_2 = 50
