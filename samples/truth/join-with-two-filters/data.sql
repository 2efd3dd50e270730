INSERT INTO choirs
SELECT seq, CRC32(CONCAT('c',seq)) % 400, CONCAT('choir ', seq)
FROM seq_1_to_2000;
INSERT INTO concerts
SELECT seq, 1 + CRC32(CONCAT('p',seq)) % 2000, '2020-01-01' + INTERVAL CRC32(CONCAT('h',seq)) % 2000 DAY, CRC32(CONCAT('g',seq)) % 500, REPEAT('r', 50)
FROM seq_1_to_20000;
