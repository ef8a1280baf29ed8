SELECT `requests`.`service`, `requests`.`model`, intDiv(`requests`.`anchor_ns`, %(intDiv_1)s) * %(intDiv_2)s AS `minute_ns`, max(assumeNotNull(intDiv(`requests`.`end_ns`, %(intDiv_3)s) * %(intDiv_4)s)) AS `last_ns`
FROM `requests`
WHERE `requests`.`anchor_ns` >= %(anchor_ns_1)s AND `requests`.`anchor_ns` < %(anchor_ns_2)s AND `requests`.`end_ns` IS NOT NULL AND `requests`.`end_ns` - `requests`.`anchor_ns` <= %(param_1)s GROUP BY `requests`.`service`, `requests`.`model`, `minute_ns`
-- anchor_ns_1 = 1759999980000000000
-- anchor_ns_2 = 1760000040000000000
-- intDiv_1 = 60000000000
-- intDiv_2 = 60000000000
-- intDiv_3 = 60000000000
-- intDiv_4 = 60000000000
-- param_1 = 900000000000
