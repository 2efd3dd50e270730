CREATE TABLE choirs (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  city_id smallint NOT NULL,
  name varchar(40) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE concerts (
  id int unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  choir_id int unsigned NOT NULL,
  held date NOT NULL,
  guests int NOT NULL,
  remark varchar(90) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
