-- MySQL dump 10.13  Distrib 5.7.44, for Linux (x86_64)
--
-- Host: db-1.example    Database: shop
-- ------------------------------------------------------
-- Server version	5.7.44-log

/*!40101 SET character_set_client = utf8 */;
CREATE TABLE `hits` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `at` datetime(3) NOT NULL,
  `page` varchar(255) COLLATE utf8mb4_bin NOT NULL DEFAULT '/;)',
  `day` int(11) GENERATED ALWAYS AS (to_days(`at`)) VIRTUAL,
  `doc` json DEFAULT NULL,
  `where` point NOT NULL,
  PRIMARY KEY (`id`,`at`),
  KEY `page` (`page`(50)),
  KEY `day` (`day`) COMMENT 'generated',
  SPATIAL KEY `where` (`where`)
) ENGINE=InnoDB AUTO_INCREMENT=900 DEFAULT CHARSET=utf8mb4
/*!50100 PARTITION BY RANGE (to_days(`at`))
SUBPARTITION BY HASH (`id`)
SUBPARTITIONS 2
(PARTITION p0 VALUES LESS THAN (738000) COMMENT = 'first, (old)' ENGINE = InnoDB,
 PARTITION p1 VALUES LESS THAN (738400) ENGINE = InnoDB,
 PARTITION pmax VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */;

CREATE TABLE `shards` (
  `k` varchar(20) NOT NULL,
  PRIMARY KEY (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8
/*!50500 PARTITION BY LIST  COLUMNS(k)
(PARTITION pa VALUES IN ('a','b') ENGINE = InnoDB,
 PARTITION pc VALUES IN ('c') ENGINE = InnoDB) */;

CREATE TABLE `spread` (
  `k` int(11) NOT NULL,
  PRIMARY KEY (`k`)
) ENGINE=InnoDB DEFAULT CHARSET=latin1
/*!50100 PARTITION BY KEY ()
PARTITIONS 8 */;

INSERT INTO `spread` VALUES (1),(-2),(3);
/*!50001 CREATE VIEW `busy` AS SELECT 
 1 AS `page`,
 1 AS `hits`*/;

DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`%`*/ /*!50003 TRIGGER `hits_bi` BEFORE INSERT ON `hits` FOR EACH ROW BEGIN
  CREATE TEMPORARY TABLE `inside` (`x` int);
  SET NEW.page = 'it''s; ok';
END */;;
DELIMITER ;

/*!50001 DROP VIEW IF EXISTS `busy`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`%` SQL SECURITY DEFINER */
/*!50001 VIEW `busy` AS select `hits`.`page` AS `page`,count(0) AS `hits` from `hits` group by `hits`.`page` */;
