SELECT DISTINCT `request_minutes`.`service`, `request_minutes`.`model`
FROM `request_minutes`
