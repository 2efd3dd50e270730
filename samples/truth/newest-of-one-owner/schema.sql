CREATE TABLE walks (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  dog_id int NOT NULL,
  began datetime NOT NULL,
  metres int NOT NULL,
  remark varchar(120) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
