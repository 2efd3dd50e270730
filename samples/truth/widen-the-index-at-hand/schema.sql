CREATE TABLE payments (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  tenant_id int NOT NULL,
  paid_on date NOT NULL,
  cents int NOT NULL,
  remark varchar(120) NOT NULL,
  KEY ix_tenant (tenant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
