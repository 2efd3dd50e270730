-- weight: 2
SELECT id, team FROM scores WHERE league = 2 ORDER BY points DESC, penalties LIMIT 10;
