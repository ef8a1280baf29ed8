SELECT max(`newest`.`commit_seq`) AS `max_1`
FROM (SELECT `ingest_ledger`.`commit_seq` AS `commit_seq`
FROM `ingest_ledger` ORDER BY `ingest_ledger`.`at_ns` DESC
 LIMIT %(param_1)s) AS `newest`
-- param_1 = 1000
