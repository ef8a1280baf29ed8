SELECT `ingest_ledger`.`signal`, `ingest_ledger`.`reason`, sum(`ingest_ledger`.`records`) AS `records`
FROM `ingest_ledger`
WHERE `ingest_ledger`.`at_ns` >= %(at_ns_1)s AND `ingest_ledger`.`at_ns` < %(at_ns_2)s GROUP BY `ingest_ledger`.`signal`, `ingest_ledger`.`reason` ORDER BY `ingest_ledger`.`signal`, `ingest_ledger`.`reason`
-- at_ns_1 = 1759999980000000000
-- at_ns_2 = 1760086380000000000
