-- MySQL dump 10.13  Distrib 8.0.40, for Linux (x86_64)
--
-- Host: localhost    Database: 
-- ------------------------------------------------------
-- Server version	8.0.40

SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5';

--
-- Current Database: `shop`
--

CREATE DATABASE /*!32312 IF NOT EXISTS*/ `shop` /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci */ /*!80016 DEFAULT ENCRYPTION='N' */;

USE `shop`;

DROP TABLE IF EXISTS `customers`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `customers` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `email` varchar(120) COLLATE utf8mb4_bin NOT NULL,
  `name` varchar(80) COLLATE utf8mb4_0900_ai_ci NOT NULL,
  `secret` varbinary(16) NOT NULL DEFAULT (uuid_to_bin(uuid())) /*!80023 INVISIBLE */,
  `tier` enum('basic','it''s gold','a,b)') COLLATE utf8mb4_0900_ai_ci NOT NULL DEFAULT 'basic',
  `doc` json DEFAULT NULL,
  `place` point NOT NULL /*!80003 SRID 4326 */,
  PRIMARY KEY (`id`),
  UNIQUE KEY `ux_email` (`email`),
  KEY `ix_name` (`name`(10) DESC,`tier`),
  KEY `ix_lower` ((lower(`name`))),
  KEY `ix_zip` ((cast(json_extract(`doc`,_utf8mb4'$.zip') as unsigned array))),
  KEY `ix_tier` (`tier`) /*!80000 INVISIBLE */,
  SPATIAL KEY `sx_place` (`place`),
  FULLTEXT KEY `fx_name` (`name`) /*!50100 WITH PARSER `ngram` */ ,
  CONSTRAINT `customers_chk_1` CHECK ((`name` <> _utf8mb4')')),
  CONSTRAINT `customers_chk_2` CHECK ((`id` > 0)) /*!80016 NOT ENFORCED */
) ENGINE=InnoDB AUTO_INCREMENT=1000 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `orders` (
  `id` bigint NOT NULL,
  `customer_id` int unsigned NOT NULL,
  `total` decimal(12,2) NOT NULL DEFAULT '0.00',
  `placed` timestamp(3) NULL DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  PRIMARY KEY (`id`),
  KEY `fk_customer` (`customer_id`),
  CONSTRAINT `fk_customer` FOREIGN KEY (`customer_id`) REFERENCES `customers` (`id`) ON DELETE CASCADE ON UPDATE RESTRICT
) ENGINE=InnoDB DEFAULT CHARSET=latin1 STATS_PERSISTENT=1;

--
-- Current Database: `archive`
--

CREATE DATABASE /*!32312 IF NOT EXISTS*/ `archive` /*!40100 DEFAULT CHARACTER SET latin1 */;

USE `archive`;
CREATE TABLE `orders` (
  `id` bigint NOT NULL,
  `state` varchar(10) DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;
