SELECT `requests`.`anchor_ns`, `requests`.`request_key`
FROM `requests`
WHERE `requests`.`anchor_ns` >= %(anchor_ns_1)s AND `requests`.`anchor_ns` < %(anchor_ns_2)s AND NOT `requests`.`is_retracted` AND `requests`.`tenant` IN (%(tenant_1_1)s, %(tenant_1_2)s) ORDER BY `requests`.`anchor_ns` DESC, `requests`.`request_key` DESC
 LIMIT %(param_1)s
-- anchor_ns_1 = 1759999980000000000
-- anchor_ns_2 = 1760086380000000000
-- param_1 = 102
-- tenant_1_1 = 'a'
-- tenant_1_2 = "it's"
