INSERT INTO beehives
SELECT seq, CRC32(CONCAT('y',seq)) % 60, CONCAT('hive ', seq)
FROM seq_1_to_3000;
INSERT INTO visits
SELECT seq, 1 + CRC32(CONCAT('h',seq)) % 3000, CRC32(CONCAT('c',seq)) % 6, REPEAT('v', 60)
FROM seq_1_to_20000;
