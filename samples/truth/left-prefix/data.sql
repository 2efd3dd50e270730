INSERT INTO stalls
SELECT seq, CRC32(CONCAT('f',seq)) % 200, CRC32(CONCAT('n',seq)) % 90, CONCAT('holder ', seq)
FROM seq_1_to_8000;
