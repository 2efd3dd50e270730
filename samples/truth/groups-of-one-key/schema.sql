CREATE TABLE thefts (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  district smallint NOT NULL,
  kind smallint NOT NULL,
  report varchar(160) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
