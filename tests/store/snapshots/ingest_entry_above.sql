SELECT max(`ingest_ledger`.`commit_seq`) AS `max_1`
FROM `ingest_ledger`
WHERE `ingest_ledger`.`commit_seq` > %(commit_seq_1)s
-- commit_seq_1 = 7
