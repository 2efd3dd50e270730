CREATE TABLE tides (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  harbour smallint NOT NULL,
  at datetime NOT NULL,
  cm int NOT NULL,
  remark varchar(120) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
