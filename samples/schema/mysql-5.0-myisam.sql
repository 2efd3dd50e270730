-- MySQL dump 10.11
--
-- Host: localhost    Database: library
-- ------------------------------------------------------
-- Server version	5.0.95

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET NAMES utf8 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;

--
-- Table structure for table `books`
--

DROP TABLE IF EXISTS `books`;
CREATE TABLE `books` (
  `id` int(11) NOT NULL auto_increment,
  `isbn` char(13) NOT NULL default '',
  `title` varchar(200) character set utf8 collate utf8_bin NOT NULL default '',
  `shelf` tinyint(3) unsigned zerofill default NULL,
  `lent` timestamp NOT NULL default CURRENT_TIMESTAMP on update CURRENT_TIMESTAMP,
  `note` text,
  PRIMARY KEY  (`id`),
  UNIQUE KEY `isbn` (`isbn`),
  KEY `title` (`title`(20),`shelf`),
  KEY `lent` USING BTREE (`lent`),
  FULLTEXT KEY `words` (`title`,`note`)
) ENGINE=MyISAM AUTO_INCREMENT=42 DEFAULT CHARSET=latin1 PACK_KEYS=1 COMMENT='it''s (old); really';

--
-- Temporary table structure for view `lent_books`
--

DROP TABLE IF EXISTS `lent_books`;
/*!50001 DROP VIEW IF EXISTS `lent_books`*/;
/*!50001 CREATE TABLE `lent_books` (
  `id` int(11),
  `who` varchar(80)
) */;

--
-- Final view structure for view `lent_books`
--

/*!50001 DROP TABLE `lent_books`*/;
/*!50001 DROP VIEW IF EXISTS `lent_books`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `lent_books` AS select * from `books` */;
-- Dump completed
