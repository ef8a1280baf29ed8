SELECT max(`requests`.`version`) AS `max_1`
FROM `requests`
WHERE `requests`.`version` > %(version_1)s
-- version_1 = 7
