SELECT sum(`minutes`.`outcome_completed`) AS `outcome_completed`, sum(`minutes`.`outcome_failed`) AS `outcome_failed`, sum(`minutes`.`outcome_timed_out`) AS `outcome_timed_out`, sum(`minutes`.`outcome_aborted`) AS `outcome_aborted`, sum(`minutes`.`outcome_rejected`) AS `outcome_rejected`, sum(`minutes`.`outcome_unknown`) AS `outcome_unknown`
FROM (SELECT `request_minutes`.`outcome_completed` AS `outcome_completed`, `request_minutes`.`outcome_failed` AS `outcome_failed`, `request_minutes`.`outcome_timed_out` AS `outcome_timed_out`, `request_minutes`.`outcome_aborted` AS `outcome_aborted`, `request_minutes`.`outcome_rejected` AS `outcome_rejected`, `request_minutes`.`outcome_unknown` AS `outcome_unknown`
FROM `request_minutes`
WHERE `request_minutes`.`minute_ns` >= %(minute_ns_1)s AND `request_minutes`.`minute_ns` < %(minute_ns_2)s AND `request_minutes`.`service` = %(service_1)s AND `request_minutes`.`model` = %(model_1)s AND (`request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`, `request_minutes`.`build`) IN (SELECT `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`, max(`request_minutes`.`build`) AS `max_1`
FROM `request_minutes`
WHERE `request_minutes`.`build` <= %(build_1)s AND `request_minutes`.`minute_ns` >= %(minute_ns_1)s AND `request_minutes`.`minute_ns` < %(minute_ns_2)s AND `request_minutes`.`service` = %(service_1)s AND `request_minutes`.`model` = %(model_1)s GROUP BY `request_minutes`.`service`, `request_minutes`.`model`, `request_minutes`.`minute_ns`) AND `request_minutes`.`requests` > %(requests_1)s) AS `minutes`
-- build_1 = 7
-- minute_ns_1 = 1759999980000000000
-- minute_ns_2 = 1760086380000000000
-- model_1 = 'm'
-- requests_1 = 0
-- service_1 = 'chat'
