-- weight: 4
SELECT id, txt FROM trips_b WHERE stop_id = 3 AND line_id = 8 ORDER BY due LIMIT 3;

-- weight: 2
SELECT stop_id, COUNT(*) FROM trips_b WHERE line_id = 9 GROUP BY stop_id;

-- weight: 3
UPDATE trips_b SET txt = 'late' WHERE line_id = 10 AND stop_id = 4 AND due >= '2025-09-01';
