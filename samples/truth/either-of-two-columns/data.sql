INSERT INTO games_played
SELECT seq, CRC32(CONCAT('w',seq)) % 2000, CRC32(CONCAT('b',seq)) % 2000, REPEAT('m', 90)
FROM seq_1_to_15000;
