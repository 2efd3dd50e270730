-- weight: 1
SELECT c.name, k.held, k.guests FROM choirs c JOIN concerts k ON k.choir_id = c.id WHERE c.city_id = 77 AND k.held >= '2025-01-01';
