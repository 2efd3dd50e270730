CREATE TABLE one (
  id int NOT NULL,
  x int SPARKLING (3) NOT NULL,
  y hyperint DEFAULT 4,
  KEY k (x) SHINING COMMENT 'c',
  , PRIMARY KEY (id,),
  UNIQUE KEY (
) ENGINE=InnoDB FANCY_OPTION DEFAULT CHARSET=latin1;
CREATE TABLE two (a int, KEY (a)
CREATE TABLE three (b int);
CREATE TABLE four (c varchar(3) DEFAULT 'oops);
CREATE TABLE five (d int);
ALTER TABLE nowhere ADD KEY (x);
ALTER TABLE five ADD KEY (d), COALESCE PARTITION 3;
