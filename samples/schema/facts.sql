CREATE DATABASE `crm-eu`; USE `crm-eu`;
CREATE TABLE shops (id int unsigned NOT NULL PRIMARY KEY, region_id smallint NOT NULL, url varchar(200), KEY (region_id));
-- rows: 2000; distinct: region_id 400 (value 17: 5 rows, value NULL: 3 rows); prefixes: url(20) 1500
CREATE TABLE `sales` (id int AUTO_INCREMENT, shop_id int unsigned, sold_on date, state varchar(9),
  -- a comment with ) and ; in it
  CONSTRAINT fk FOREIGN KEY (shop_id) REFERENCES shops (id), # and 'one more
  PRIMARY KEY (id), UNIQUE (state, sold_on), UNIQUE (id, shop_id));
-- rows: sales 100000; distinct: sales.shop_id 2000, state 3 (value 'it''s; new': 120 rows)
-- ranges: sold_on >= '2024-12-01' AND sold_on < '2025-01-01': 8551 rows
-- distinct: nowhere 5
CREATE TABLE sales_2025 LIKE sales;
CREATE UNIQUE INDEX ux ON sales_2025 (sold_on DESC, shop_id) COMMENT 'late';
ALTER TABLE sales_2025 DROP COLUMN state, ADD COLUMN kind set('a','b') FIRST, RENAME INDEX ux TO uy, ALTER INDEX uy INVISIBLE;
