CREATE TABLE stalls (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  fair_id int NOT NULL,
  nr smallint NOT NULL,
  holder varchar(60) NOT NULL,
  KEY ix_fair (fair_id),
  KEY ix_fair_nr (fair_id, nr)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
