-- MySQL dump 10.13  Distrib 8.0.40, for Linux (x86_64)
--
-- Host: db-1.shop.example    Database: shop
-- ------------------------------------------------------
-- Server version	8.0.40

CREATE TABLE `categories` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(60) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `products` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `sku` varchar(20) NOT NULL,
  `name` varchar(120) NOT NULL,
  `category_id` int unsigned NOT NULL,
  `price` decimal(10,2) NOT NULL,
  `visible` tinyint(1) NOT NULL DEFAULT '1',
  PRIMARY KEY (`id`),
  UNIQUE KEY `sku` (`sku`),
  KEY `category_id` (`category_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `stock` (
  `product_id` int unsigned NOT NULL,
  `qty` int NOT NULL,
  PRIMARY KEY (`product_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `customers` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `email` varchar(120) NOT NULL,
  `password_hash` varbinary(60) NOT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `email` (`email`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `orders` (
  `id` bigint unsigned NOT NULL AUTO_INCREMENT,
  `customer_id` int unsigned NOT NULL,
  `state` enum('open','paid','sent','closed') NOT NULL,
  `total` decimal(10,2) NOT NULL,
  `placed_at` datetime NOT NULL,
  PRIMARY KEY (`id`),
  KEY `customer_id` (`customer_id`),
  KEY `customer_id_placed_at` (`customer_id`,`placed_at`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `order_items` (
  `order_id` bigint unsigned NOT NULL,
  `product_id` int unsigned NOT NULL,
  `qty` int NOT NULL,
  `price` decimal(10,2) NOT NULL,
  PRIMARY KEY (`order_id`,`product_id`),
  KEY `product_id` (`product_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `carts` (
  `session_id` char(8) NOT NULL,
  `product_id` int unsigned NOT NULL,
  `qty` int NOT NULL,
  `changed_at` datetime NOT NULL,
  PRIMARY KEY (`session_id`,`product_id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

CREATE TABLE `sessions` (
  `id` char(8) NOT NULL,
  `customer_id` int unsigned DEFAULT NULL,
  `seen_at` datetime NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci;

-- What the tables hold, counted by hand; adagio reads it, and a server takes it for comments.
-- rows: categories 30, products 8400, stock 8400, customers 310000, orders 1204000
-- rows: order_items 2900000, carts 53000, sessions 90000
-- distinct: products.category_id 30, products.visible 2 (value 1: 8000 rows), products.price 900
-- distinct: orders.customer_id 290000, orders.placed_at 1150000
-- distinct: orders.state 4 (value 'open': 5200 rows), carts.changed_at 41000

-- Dump completed on 2026-09-14 12:00:00
