INSERT INTO scores
SELECT seq, CRC32(CONCAT('l',seq)) % 9, CRC32(CONCAT('p',seq)) % 60, CRC32(CONCAT('f',seq)) % 4000, CONCAT('team ', seq, REPEAT('t', 60))
FROM seq_1_to_12000;
