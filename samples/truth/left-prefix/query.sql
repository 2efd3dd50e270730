-- weight: 3
SELECT id, holder FROM stalls WHERE fair_id = 33;

-- weight: 3
SELECT id, holder FROM stalls WHERE fair_id = 34 AND nr = 12;
