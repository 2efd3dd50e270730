-- weight: 1
SELECT kind, COUNT(*) FROM thefts WHERE district = 4 GROUP BY kind;
