INSERT INTO thefts
SELECT seq, CRC32(CONCAT('d',seq)) % 10, CRC32(CONCAT('k',seq)) % 15, REPEAT('m', 90)
FROM seq_1_to_20000;
