-- weight: 4
DELETE FROM traces WHERE kind = 5 ORDER BY at LIMIT 20;
