SELECT DISTINCT `requests`.`service`, `requests`.`model`, intDiv(`requests`.`anchor_ns`, %(intDiv_1)s) * %(intDiv_2)s AS `minute_ns`
FROM `requests`
WHERE (`requests`.`service`, `requests`.`model`) IN ((%(param_1_1_1)s, %(param_1_1_2)s), (%(param_1_2_1)s, %(param_1_2_2)s)) ORDER BY `minute_ns`
-- intDiv_1 = 60000000000
-- intDiv_2 = 60000000000
-- param_1_1_1 = 'chat'
-- param_1_1_2 = 'm'
-- param_1_2_1 = 'search'
-- param_1_2_2 = 'm'
