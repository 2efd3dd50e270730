CREATE TABLE scores (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  league smallint NOT NULL,
  points int NOT NULL,
  penalties int NOT NULL,
  team varchar(90) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
