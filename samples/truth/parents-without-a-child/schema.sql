CREATE TABLE beehives (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  yard smallint NOT NULL,
  name varchar(40) NOT NULL,
  KEY ix_yard (yard)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE visits (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  hive_id int unsigned NOT NULL,
  cause smallint NOT NULL,
  txt varchar(90) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
