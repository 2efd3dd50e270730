-- weight: 1
SELECT at, cm, remark FROM tides WHERE at >= '2025-03-01' AND at < '2025-05-01' AND harbour = 12;
