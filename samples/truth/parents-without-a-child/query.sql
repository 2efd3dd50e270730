-- weight: 1
SELECT b.id, b.name FROM beehives b WHERE b.yard = 12 AND NOT EXISTS (SELECT 1 FROM visits v WHERE v.hive_id = b.id AND v.cause = 2);
