CREATE TABLE games_played (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  white_id int NOT NULL,
  black_id int NOT NULL,
  moves varchar(160) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
