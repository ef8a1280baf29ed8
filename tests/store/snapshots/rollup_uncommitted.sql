DELETE FROM `request_minutes` WHERE `build` > %(build_1)s
-- build_1 = 7
