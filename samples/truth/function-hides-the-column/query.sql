-- weight: 1
SELECT id, name FROM births WHERE YEAR(born) = 2003;
