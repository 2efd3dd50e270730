-- MySQL dump 10.13  Distrib 9.1.0, for Linux (x86_64)
--
-- Host: localhost    Database: search
-- ------------------------------------------------------
-- Server version	9.1.0

CREATE TABLE `items` (
  `id` int NOT NULL AUTO_INCREMENT,
  `parent` int DEFAULT NULL REFERENCES `items` (`id`),
  `embedding` vector(768) DEFAULT NULL,
  `größe` int DEFAULT NULL COMMENT 'naïve, — ok',
  `my_row_id` bigint unsigned NOT NULL /*!80023 INVISIBLE */ COMMENT 'x',
  PRIMARY KEY (`id`),
  KEY `nach größe` (`größe` DESC)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci ENGINE_ATTRIBUTE='{"a": ";"}';
