-- weight: 10
SELECT id, metres, remark FROM walks WHERE dog_id = 17 ORDER BY began DESC LIMIT 5;
