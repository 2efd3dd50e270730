-- weight: 6
SELECT id, cents, remark FROM payments WHERE tenant_id = 3 ORDER BY paid_on DESC LIMIT 6;

-- weight: 2
SELECT MAX(paid_on) FROM payments WHERE tenant_id = 7;
