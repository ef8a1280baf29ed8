SELECT DISTINCT `spans`.`trace_id`, `spans`.`span_id`
FROM `spans`
WHERE `spans`.`trace_id` IN (SELECT toFixedString(unhex(arrayJoin(splitByChar(%(splitByChar_1)s, %(splitByChar_2)s))), %(toFixedString_2)s) AS `toFixedString_1`)
-- splitByChar_1 = ','
-- splitByChar_2 = '000102030405060708090a0b0c0d0e0f,000102030405060708090a0b0c0d0e0f'
-- toFixedString_2 = 16
