CREATE TABLE traces (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  kind smallint NOT NULL,
  at datetime NOT NULL,
  txt varchar(120) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
