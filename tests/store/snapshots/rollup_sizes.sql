SELECT intDiv(`requests`.`anchor_ns`, %(intDiv_1)s) * %(intDiv_2)s AS `minute_ns`, count(*) AS `versions`
FROM `requests`
WHERE `requests`.`anchor_ns` >= %(anchor_ns_1)s AND `requests`.`anchor_ns` < %(anchor_ns_2)s GROUP BY `minute_ns` ORDER BY `minute_ns`
-- anchor_ns_1 = 1759999980000000000
-- anchor_ns_2 = 1760000040000000000
-- intDiv_1 = 60000000000
-- intDiv_2 = 60000000000
