SELECT min(`running`.`commit_seq`) AS `min_1`
FROM (SELECT `commits`.`commit_seq` AS `commit_seq`, sum(`commits`.`records`) OVER (ORDER BY `commits`.`commit_seq` DESC) - `commits`.`records` AS `newer`
FROM (SELECT `ingest_ledger`.`commit_seq` AS `commit_seq`, sum(`ingest_ledger`.`records`) AS `records`
FROM `ingest_ledger`
WHERE `ingest_ledger`.`signal` = %(signal_1)s AND `ingest_ledger`.`reason` = %(reason_1)s GROUP BY `ingest_ledger`.`commit_seq`) AS `commits`) AS `running`
WHERE `running`.`newer` < %(newer_1)s
-- newer_1 = 1000
-- reason_1 = 'stored'
-- signal_1 = 'traces'
