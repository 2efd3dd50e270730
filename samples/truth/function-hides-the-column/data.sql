INSERT INTO births
SELECT seq, '1990-01-01' + INTERVAL CRC32(CONCAT('b',seq)) % 9000 DAY, CONCAT('name ', seq)
FROM seq_1_to_10000;
