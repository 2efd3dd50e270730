CREATE TABLE trips_b (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  line_id smallint NOT NULL,
  stop_id smallint NOT NULL,
  due datetime NOT NULL,
  txt varchar(120) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
