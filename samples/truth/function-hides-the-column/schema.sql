CREATE TABLE births (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  born date NOT NULL,
  name varchar(60) NOT NULL,
  KEY ix_born (born)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
