SELECT max(`requests`.`version`) AS `max_1`
FROM `requests`
