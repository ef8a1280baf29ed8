SELECT `change_events`.`event_id`, `change_events`.`at_ns`, `change_events`.`kind`, `change_events`.`subject`, `change_events`.`summary`, `change_events`.`actor`, `change_events`.`before_digest`, `change_events`.`after_digest`, `change_events`.`detail`
FROM `change_events`
WHERE `change_events`.`at_ns` >= %(at_ns_1)s AND `change_events`.`at_ns` < %(at_ns_2)s ORDER BY `change_events`.`at_ns` DESC, `change_events`.`event_id` DESC
 LIMIT 1 BY `change_events`.`event_id`
 LIMIT %(param_1)s
-- at_ns_1 = 1759999980000000000
-- at_ns_2 = 1760086380000000000
-- param_1 = 100
