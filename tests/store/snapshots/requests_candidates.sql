SELECT `requests`.`anchor_ns`, `requests`.`request_key`
FROM `requests`
WHERE `requests`.`anchor_ns` >= %(anchor_ns_1)s AND `requests`.`anchor_ns` < %(anchor_ns_2)s AND `requests`.`anchor_ns` <= %(anchor_ns_3)s AND (`requests`.`anchor_ns` < %(anchor_ns_4)s OR `requests`.`anchor_ns` = %(anchor_ns_5)s AND `requests`.`request_key` < unhex(%(unhex_1)s)) AND NOT `requests`.`is_retracted` AND `requests`.`service` = %(service_1)s AND `requests`.`model` = %(model_1)s AND `requests`.`service_tier` = %(service_tier_1)s AND `requests`.`replica` = %(replica_1)s AND `requests`.`tenant` = %(tenant_1)s AND `requests`.`outcome` = %(outcome_1)s AND `requests`.`load_test` = %(load_test_1)s AND bitAnd(`requests`.`defects`, %(bitAnd_1)s) != %(bitAnd_2)s ORDER BY `requests`.`anchor_ns` DESC, `requests`.`request_key` DESC
 LIMIT %(param_1)s
-- anchor_ns_1 = 1759999980000000000
-- anchor_ns_2 = 1760086380000000000
-- anchor_ns_3 = 1759999980000000000
-- anchor_ns_4 = 1759999980000000000
-- anchor_ns_5 = 1759999980000000000
-- bitAnd_1 = 1
-- bitAnd_2 = 0
-- load_test_1 = 'lt'
-- model_1 = 'm'
-- outcome_1 = 'failed'
-- param_1 = 102
-- replica_1 = 'r'
-- service_1 = 's'
-- service_tier_1 = 'core'
-- tenant_1 = 't'
-- unhex_1 = '000102030405060708090a0b0c0d0e0f'
