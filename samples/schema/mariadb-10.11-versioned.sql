/*!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: hr
-- ------------------------------------------------------
-- Server version	10.11.6-MariaDB-1:10.11.6+maria~deb12

CREATE SEQUENCE `s` start with 1 minvalue 1 maxvalue 9223372036854775806 increment by 1 cache 1000 nocycle ENGINE=InnoDB;

CREATE TABLE `staff` (
  `id` uuid NOT NULL DEFAULT uuid(),
  `no` int(11) NOT NULL DEFAULT nextval(`hr`.`s`),
  `ip` inet6 DEFAULT NULL,
  `name` varchar(50) NOT NULL,
  `upper` varchar(50) GENERATED ALWAYS AS (ucase(`name`)) STORED,
  `doc` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`doc`)),
  `from` timestamp(6) GENERATED ALWAYS AS ROW START INVISIBLE,
  `to` timestamp(6) GENERATED ALWAYS AS ROW END INVISIBLE,
  `big` text /*M!100301 COMPRESSED*/ DEFAULT NULL,
  PRIMARY KEY (`id`,`to`),
  KEY `no` (`no`) IGNORED,
  KEY `name` (`name`,`no` DESC),
  PERIOD FOR SYSTEM_TIME (`from`, `to`),
  CONSTRAINT `no_is_small` CHECK (`no` < 1000)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci WITH SYSTEM VERSIONING `encrypted`=yes
 PARTITION BY SYSTEM_TIME INTERVAL 1 MONTH
(PARTITION `p0` HISTORY ENGINE = InnoDB,
 PARTITION `pn` CURRENT ENGINE = InnoDB);

CREATE TABLE `visits` (
  `staff` uuid NOT NULL,
  `room` int(11) NOT NULL REFERENCES `rooms` (`id`),
  `since` date NOT NULL,
  `until` date NOT NULL,
  UNIQUE KEY `u` (`room`,`stay` WITHOUT OVERLAPS),
  PERIOD FOR `stay` (`since`, `until`)
) ENGINE=Aria DEFAULT CHARSET=latin1 PAGE_CHECKSUM=1 TRANSACTIONAL=1;
