#!/usr/bin/env python3
"""Write slow/shop.log: an hour of a small web shop as MySQL 8.0 logs it.

    samples/make_shop.py > samples/slow/shop.log

MySQL 8.0.40, log_slow_extra = ON, long_query_time = 0 for one hour. All names are
invented. The same bytes come out each time: the only source of chance is the
sequence of random() for one seed, and no function of the C library is used on it.

Twelve classes, each with something to see:

    open orders of a day   the worst: a function around the column, no index serves it
    product by id          an N+1: bursts of lookups by one thread
    take from stock        nearly all of its time is spent waiting for row locks
    products of a category two humps: most runs are fast, one category is slow
    revenue by month       a report, three runs, on-disk temporary tables and merge passes
    search by name         a leading wildcard
    and carts, sessions, log-ins, orders, order lines, a purge: the good neighbours
"""
import datetime
import random
import sys

START = datetime.datetime(2026, 9, 14, 10, 0, 0, tzinfo=datetime.timezone.utc)
HOUR = 3_600_000_000  # microseconds
BANNER = (
    "/usr/sbin/mysqld, Version: 8.0.40 (MySQL Community Server - GPL). started with:\n"
    "Tcp port: 3306  Unix socket: /var/run/mysqld/mysqld.sock\n"
    "Time                 Id Command    Argument\n"
)
HOSTS = {
    "web-1.shop.example": "192.0.2.11",
    "web-2.shop.example": "192.0.2.12",
    "worker.shop.example": "192.0.2.20",
    "reports.shop.example": "192.0.2.30",
}
WORDS = ["lamp", "kettle", "chair", "rug", "clock", "shelf", "basket", "mirror"]
EXTRA = (
    "Read_first Read_last Read_key Read_next Read_prev Read_rnd Read_rnd_next "
    "Sort_merge_passes Sort_range_count Sort_rows Sort_scan_count "
    "Created_tmp_disk_tables Created_tmp_tables"
).split()

chance = random.Random(20260914)
events = []


def between(low, high):
    """A whole number from low to high, both included."""
    return low + int(chance.random() * (high - low + 1))


def moment():
    return between(0, HOUR - 30_000_000)


def web():
    return "web-1.shop.example" if chance.random() < 0.6 else "web-2.shop.example"


def log(start, time, statement, *, lock=3, user="shop", host=None, thread=None, db="shop",
        sent=0, examined=0, errno=0, bytes_sent=None, **extra):
    """Remembers one event; times in microseconds, start counted from START."""
    host = host or web()
    events.append({
        "start": start, "time": time, "lock": lock, "user": user, "host": host,
        "thread": thread or between(*((200, 239) if host.startswith("web-1") else (240, 279))),
        "db": db, "sent": sent, "examined": examined, "errno": errno,
        "bytes_sent": 67 if bytes_sent is None else bytes_sent,
        "statement": statement, "extra": extra,
    })


def open_orders_of_a_day():
    for _ in range(24):
        examined = 1_204_000 + between(0, 900)
        sent = between(30, 50)
        log(moment(), between(3_400_000, 6_200_000),
            "SELECT o.id, o.placed_at, o.total, c.email FROM orders o "
            "JOIN customers c ON c.id = o.customer_id "
            f"WHERE DATE(o.placed_at) = '2026-09-{between(8, 14):02}' AND o.state = 'open' "
            "ORDER BY o.placed_at DESC LIMIT 50",
            sent=sent, examined=examined, bytes_sent=sent * 74 + 310, Read_first=1,
            Read_key=sent + 1, Read_rnd_next=examined - sent, Sort_rows=sent, Sort_scan_count=1)


def product_by_id():
    for _ in range(6):
        at, host, thread = moment(), web(), between(280, 299)
        for _ in range(15):
            time = between(700, 2_600)
            log(at, time, f"SELECT id, sku, name, price FROM products WHERE id = {between(1, 8400)}",
                lock=1, host=host, thread=thread, sent=1, examined=1, bytes_sent=between(180, 240),
                Read_key=1)
            at += time + between(300, 900)


def take_from_stock():
    for turn in range(22):
        timed_out = turn == 13
        work = between(300, 1_200)
        lock = 10_000_214 if timed_out else between(450_000, 3_900_000)
        log(moment(), lock + work,
            f"UPDATE stock SET qty = qty - {between(1, 3)} WHERE product_id = {between(40, 43)}",
            lock=lock, examined=0 if timed_out else 1, errno=1205 if timed_out else 0,
            bytes_sent=67 if timed_out else 52, Read_key=1)


def products_of_a_category():
    for turn in range(40):
        slow = turn % 5 == 2
        examined = 61_200 + between(0, 60) if slow else between(90, 260)
        log(moment(), between(1_150_000, 1_800_000) if slow else between(3_900, 8_200),
            "SELECT p.id, p.name, p.price FROM products p "
            f"WHERE p.category_id = {7 if slow else between(11, 30)} AND p.visible = 1 "
            "ORDER BY p.price LIMIT 24",
            sent=24, examined=examined, bytes_sent=between(1_700, 1_990), Read_key=1,
            Read_next=examined, Sort_rows=24, Sort_range_count=1)


def revenue_by_month():
    for turn in range(3):
        examined = 2_410_000 + turn * 700
        log(600_000_000 + turn * 1_200_000_000 + between(0, 900_000), between(11_200_000, 13_900_000),
            "SELECT DATE_FORMAT(o.placed_at, '%Y-%m') AS month, k.name, SUM(i.qty * i.price) AS revenue\n"
            "FROM orders o\n"
            "JOIN order_items i ON i.order_id = o.id\n"
            "JOIN products p ON p.id = i.product_id\n"
            "JOIN categories k ON k.id = p.category_id\n"
            f"WHERE o.placed_at >= '{2024 + turn % 2}-01-01'\n"
            "GROUP BY month, k.name\n"
            "ORDER BY month, revenue DESC",
            user="reports", host="reports.shop.example", thread=91, db="shop_reports", lock=9,
            sent=between(600, 640), examined=examined, bytes_sent=between(21_000, 23_000),
            Read_first=1, Read_key=examined // 2, Read_rnd_next=examined // 3, Sort_merge_passes=between(4, 9),
            Sort_rows=620, Sort_scan_count=1, Created_tmp_disk_tables=1, Created_tmp_tables=2)


def search_by_name():
    for _ in range(12):
        sent = between(0, 20)
        log(moment(), between(210_000, 390_000),
            f"SELECT id, name FROM products WHERE name LIKE '%{WORDS[between(0, 7)]}%' LIMIT 20",
            sent=sent, examined=8_400, bytes_sent=120 + sent * 31, Read_first=1, Read_rnd_next=8_401)


def orders_and_their_lines():
    for _ in range(18):
        at, host, thread, customer = moment(), web(), between(300, 309), between(1000, 9999)
        time = between(1_200, 3_100)
        log(at, time,
            "INSERT INTO orders (customer_id, state, total, placed_at) "
            f"VALUES ({customer}, 'open', {between(5, 240)}.{between(0, 99):02}, NOW())",
            host=host, thread=thread, bytes_sent=22, lock=2)
        rows = ", ".join(f"(LAST_INSERT_ID(), {between(1, 8400)}, {between(1, 4)}, {between(3, 90)}.50)"
                         for _ in range(between(1, 5)))
        log(at + time + between(200, 800), between(1_500, 4_800),
            f"INSERT INTO order_items (order_id, product_id, qty, price) VALUES {rows}",
            host=host, thread=thread, bytes_sent=56, lock=2)


def cart_of_a_session():
    for _ in range(30):
        sent = between(0, 6)
        log(moment(), between(600, 1_900),
            f"SELECT product_id, qty FROM carts WHERE session_id = '{between(2**28, 2**32 - 1):08x}'",
            lock=1, sent=sent, examined=sent, bytes_sent=110 + sent * 9, Read_key=1, Read_next=sent)


def session_seen():
    for _ in range(25):
        log(moment(), between(500, 2_200),
            f"UPDATE sessions SET seen_at = NOW() WHERE id = '{between(2**28, 2**32 - 1):08x}'",
            lock=1, examined=1, bytes_sent=52, Read_key=1)


def log_in():
    for _ in range(15):
        log(moment(), between(900, 2_800),
            f"SELECT id, password_hash FROM customers WHERE email = 'buyer{between(1, 999)}@example.com'",
            lock=1, sent=1, examined=1, bytes_sent=210, Read_key=1)


def purge_of_carts():
    for turn in range(4):
        log(turn * 900_000_000 + 60_000_000, between(140_000, 260_000),
            "DELETE FROM carts WHERE changed_at < NOW() - INTERVAL 30 DAY LIMIT 1000",
            user="worker", host="worker.shop.example", thread=33, examined=between(52_000, 54_000),
            bytes_sent=22, Read_first=1, Read_rnd_next=53_000)


def iso(micros):
    at = START + datetime.timedelta(microseconds=micros)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond:06}Z"


def seconds(micros):
    return f"{micros // 1_000_000}.{micros % 1_000_000:06}"


def text(event, in_use):
    end = iso(event["start"] + event["time"])
    extra = " ".join(f"{name}: {event['extra'].get(name, 0)}" for name in EXTRA)
    stamp = int(START.timestamp()) + event["start"] // 1_000_000
    return (
        f"# Time: {end}\n"
        f"# User@Host: {event['user']}[{event['user']}] @ {event['host']} [{HOSTS[event['host']]}]"
        f"  Id: {event['thread']:5}\n"
        f"# Query_time: {seconds(event['time'])}  Lock_time: {seconds(event['lock'])}"
        f" Rows_sent: {event['sent']}  Rows_examined: {event['examined']}"
        f" Thread_id: {event['thread']} Errno: {event['errno']} Killed: 0"
        f" Bytes_received: {len(event['statement'])} Bytes_sent: {event['bytes_sent']}"
        f" {extra} Start: {iso(event['start'])} End: {end}\n"
        + ("" if event["db"] == in_use else f"use {event['db']};\n")
        + f"SET timestamp={stamp};\n{event['statement']};\n"
    )


def main():
    for scene in (open_orders_of_a_day, product_by_id, take_from_stock, products_of_a_category,
                  revenue_by_month, search_by_name, orders_and_their_lines, cart_of_a_session,
                  session_seen, log_in, purge_of_carts):
        scene()
    events.sort(key=lambda event: (event["start"] + event["time"], event["thread"]))
    out, in_use = [BANNER], None
    for event in events:
        out.append(text(event, in_use))
        in_use = event["db"]
    sys.stdout.write("".join(out))


if __name__ == "__main__":
    main()
