#!/usr/bin/env bash
# adagio beside the tools at hand, on the same logs, in turn: a Markdown table of medians.
#
#   benches/compare.sh --bin target/release/adagio FILE...
#   benches/compare.sh --bin target/release/adagio --generator make_slowlog.py --size 1GB --flavour mysql8
#   benches/compare.sh --bin target/release/adagio --generator make_slowlog.py --bars --inflate PROGRAM
#
# --generator SCRIPT (or $ADAGIO_GENERATOR) is called as `SCRIPT --size S --flavour F --seed 1
# --count OUT` and prints `events N`. Tools that are missing are left out:
#   rg -c '^# Query_time' and wc -l      the whole file: how fast it can be read at all
#   pt-query-digest, mariadb-dumpslow    a slice of --slice MB; $PT_QUERY_DIGEST names another copy
# All commands run once before the first round, so the file is in memory. Then --runs rounds, one
# command after the other. Wall time, CPU time and peak memory are the kernel's own for the child;
# `anonymous` is sampled in one more run: memory that is not a mapped file.
# The peak of a small tool is that of this script before it became the tool, some 30 MB.
# Counts are compared: events of adagio, lines found by rg, events of the generator, queries of
# pt-query-digest on the slice. Exit status 1 if they differ.
#
# --bars measures what adagio promises and prints one table: each measure with its bar (must hold)
# and its aim. The bars are meant for --size 1GB. Rounds as above, --runs 7 of them, all files made
# in a temporary directory ($TMPDIR) that is removed at the end: 10 GB there at 1GB, 16 GB with
# --long; and 6 GB of memory beside what adagio takes, or the files are read from disk.
#   --inflate PROGRAM   unpacks the FILE it is given to nowhere, with the crates adagio uses; the
#                       gzip and zstd rows need it
#   --long              peak memory at ten times the size, not four
# Peaks are sampled, after the timed rounds. Exit status 1 if a count differs, a command fails or a
# bar is not met.
set -euo pipefail
command -v python3 >/dev/null || { echo 'compare.sh needs python3' >&2; exit 2; }
exec python3 - "$@" <<'PY'
import argparse
import json
import os
import random
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from itertools import accumulate

MB = 1_000_000
EMPTY = "empty log"  # may end with any status


def run(command, out=subprocess.DEVNULL):
    """Wall s, CPU s, peak bytes, status."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, child.returncode


def greatest(field, command):
    """Greatest value of a memory field in /proc/PID/status, bytes, looked at every 5 ms. Unlike
    ru_maxrss, VmHWM begins anew when the child becomes the command."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while child.poll() is None:
        try:
            with open(f"/proc/{child.pid}/status") as status:
                found = re.search(rf"^{field}:\s+(\d+) kB", status.read(), re.M)
            most = max(most, int(found[1]) * 1024 if found else 0)
        except OSError:
            pass
        time.sleep(0.005)
    return most


def answer(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).stdout


def slice_of(path, size, target):
    """The first events of `path`, about `size` bytes, cut where an event begins."""
    with open(path, "rb") as log:
        data = log.read(size)
        rest = log.read(1)
    if rest:
        ends = [data.rfind(mark) for mark in (b";\n# Time: ", b";\n# User@Host: ")]
        starts_with_time = ends[0] >= 0 and data.count(b"\n# Time: ") * 2 > data.count(b"\n# User@Host: ")
        cut = ends[0] if starts_with_time else max(ends)
        data = data[:cut + 2] if cut > 0 else data
    with open(target, "wb") as out:
        out.write(data)
    return len(data)


def generate(args, flavour, work):
    """A log by the generator: its path and how many events it says are in it."""
    path = os.path.join(work, flavour + ".log")
    said = subprocess.run([sys.executable, args.generator, "--size", args.size, "--flavour", flavour,
                           "--seed", "1", "--count", path], capture_output=True, text=True, check=True)
    found = re.search(r"events (\d+)", said.stdout + said.stderr)
    return path, int(found[1]) if found else None


def peer_command():
    """pt-query-digest as it is to be called, None if it is missing."""
    peer = shlex.split(os.environ.get("PT_QUERY_DIGEST", "pt-query-digest"))
    return peer + ["--no-version-check"] if shutil.which(peer[0]) else None


def in_turn(tools):
    """Figures of each of the commands (name, command, bytes, runs), one after the other in each
    round, and whether all of them ended well."""
    for name, command, _, _ in tools:
        if not name.endswith(", slice") or name.startswith("adagio"):
            run(command)
    figures = {name: [] for name, *_ in tools}
    right = True
    for turn in range(max(runs for *_, runs in tools)):
        for name, command, _, runs in tools:
            if turn < runs:
                figures[name].append(run(command))
                if figures[name][-1][3] != 0 and name != EMPTY:
                    right = False
                    print(f"{name}: status {figures[name][-1][3]}", file=sys.stderr)
    return figures, right


def adagio_counts(adagio, log):
    """Events and classes adagio finds in a log."""
    try:
        told = json.loads(answer(adagio + ["-o", "json", "--limit", "1", log]))
        return sum(entry["events"] for entry in told["input"]), told["global"]["unique_query_count"]
    except (ValueError, KeyError, TypeError):
        return None, None


def counts_of_whole(events, path, wanted):
    counts = {"adagio": events}
    if wanted is not None:
        counts["generator"] = wanted
    if shutil.which("rg"):
        counts["rg"] = int(answer(["rg", "-a", "-c", "^# Query_time", path]) or 0)
    return counts


def counts_of_slice(adagio, peer, part):
    try:
        told = json.loads(answer(peer + ["--limit", "1", "--output", "json", part]))
        return {"adagio, slice": adagio_counts(adagio, part)[0], "pt-query-digest, slice": int(told["global"]["query_count"])}
    except (ValueError, KeyError, TypeError):
        print("pt-query-digest gave no JSON", file=sys.stderr)
        return {}


def same_counts(counts, of=""):
    """Prints them; whether they are the same."""
    same = len(set(counts.values())) <= 1
    if counts:
        told = ", ".join(f"{name} {count}" for name, count in counts.items())
        print(f"{'Same counts' if same else 'DIFFERENT COUNTS'}{of}: {told}")
    return same


def main():
    parser = argparse.ArgumentParser(prog="compare.sh", description="adagio beside other tools on the same logs")
    parser.add_argument("--bin", default="target/release/adagio")
    parser.add_argument("--generator", default=os.environ.get("ADAGIO_GENERATOR"))
    parser.add_argument("--size", default="1GB")
    parser.add_argument("--flavour", default="mysql57,mysql8", help="with commas between")
    parser.add_argument("--runs", type=int, help="5, or 7 with --bars")
    parser.add_argument("--peer-runs", type=int, default=3, help="rounds of the tools that read the slice")
    parser.add_argument("--slice", type=int, default=50, metavar="MB")
    parser.add_argument("--bars", action="store_true", help="measure what adagio promises")
    parser.add_argument("--inflate", metavar="PROGRAM", help="with --bars: unpacks a FILE to nowhere")
    parser.add_argument("--long", action="store_true", help="with --bars: a log ten times as long, not four")
    parser.add_argument("files", nargs="*", metavar="FILE")
    args = parser.parse_args()
    if not args.files and not args.generator:
        parser.error("give FILE or --generator")
    if args.bars and (args.files or not args.generator):
        parser.error("--bars makes its own logs: give --generator and no FILE")
    args.runs = args.runs or (7 if args.bars else 5)

    right = True
    with tempfile.TemporaryDirectory(prefix="adagio-compare-") as work:
        if args.bars:
            return 0 if compare_with_bars(args, work) else 1
        logs = [(path, None) for path in args.files]
        if not logs:
            logs = [generate(args, flavour, work) for flavour in args.flavour.split(",")]
        for path, wanted in logs:
            right = compare(args, path, wanted, work) and right
    return 0 if right else 1


def compare(args, path, wanted, work):
    size = os.path.getsize(path)
    part = os.path.join(work, "slice.log")
    part_size = slice_of(path, args.slice * MB, part)
    peer = peer_command()
    adagio = [args.bin, "digest"]
    tools = [("adagio", adagio + [path], size, args.runs), ("adagio --threads 1", adagio + ["--threads", "1", path], size, args.runs)]
    if shutil.which("rg"):
        tools.append(("rg -c '^# Query_time'", ["rg", "-a", "-c", "^# Query_time", path], size, args.runs))
    tools.append(("wc -l", ["wc", "-l", path], size, args.runs))
    tools.append(("adagio, slice", adagio + [part], part_size, args.runs))
    if peer:
        tools.append(("pt-query-digest, slice", peer + ["--limit", "100%", part], part_size, args.peer_runs))
    if shutil.which("mariadb-dumpslow"):
        tools.append(("mariadb-dumpslow, slice", ["mariadb-dumpslow", part], part_size, args.peer_runs))

    figures, right = in_turn(tools)
    rate = {}
    rows = []
    for name, command, length, _ in tools:
        wall, cpu = (statistics.median(figure[i] for figure in figures[name]) for i in (0, 1))
        rate[name] = length / max(wall, 1e-6)
        rows.append((name, length, len(figures[name]), wall, cpu, rate[name], max(f[2] for f in figures[name])))
    print(f"\n### {os.path.basename(path)}: {size / MB:.0f} MB\n")
    print("| command | MB | runs | wall s (median) | CPU s (median) | MB/s | adagio is | peak memory MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, length, runs, wall, cpu, speed, peak in rows:
        ratio = "" if name.startswith("adagio") else f"{rate['adagio'] / speed:.2f} times as fast"
        print(f"| {name} | {length / MB:.0f} | {runs} | {wall:.3f} | {cpu:.3f} | {speed / MB:.1f} | {ratio} | {peak / MB:.0f} |")
    print(f"\nadagio, anonymous memory: {greatest('RssAnon', adagio + [path]) / MB:.0f} MB")

    right = same_counts(counts_of_whole(adagio_counts(adagio, path)[0], path, wanted)) and right
    return same_counts(counts_of_slice(adagio, peer, part) if peer else {}) and right


def write_log(path, statements, enough=None):
    """A log in the form of mysql57, an event for each statement, until there are `enough` bytes.
    Its path and how many events there are."""
    chance = random.Random(1)
    written = events = 0
    with open(path, "wb") as out:
        for events, statement in enumerate(statements, 1):
            second, fraction = divmod(events * 15_000, MB)
            second += 1_714_521_600
            if fraction < 15_000 or events == 1:
                moment = datetime.fromtimestamp(second, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
            micros = int(chance.lognormvariate(9, 2))
            event = (f"# Time: {moment}.{fraction:06}Z\n# User@Host: web[web] @  [192.0.2.{events % 200}]  Id: {events % 400:5}\n"
                     f"# Query_time: {micros // MB}.{micros % MB:06}  Lock_time: 0.000045 Rows_sent: {micros % 40}  Rows_examined: {micros // 9}\n"
                     f"SET timestamp={second};\n{statement};\n").encode()
            out.write(event)
            written += len(event)
            if enough and written >= enough:
                break
    return path, events


def distinct_statements(count):
    """As an ORM with numbers in its names makes them: no two have the same fingerprint."""
    chance = random.Random(2)
    for n in range(count):
        note = f" /* request_id={chance.getrandbits(64):016x} */" if n % 3 == 0 else ""
        yield (f"SELECT{note} `t0_`.`id` AS `c_{n}`, `t0_`.`status` AS `s_{n}` FROM `orders_{n}` AS `t0_` "
               f"WHERE `t0_`.`customer_id` = {chance.randrange(MB)} AND `t0_`.`state` IN ('paid', 'open') ORDER BY `c_{n}` LIMIT 50")


def statements_of_classes(count):
    """Without end, by a Zipf law; classes differ in the names of tables and columns, not in length."""
    forms = ("SELECT {0}_id, {0}_state, total FROM {0}_orders WHERE {0}_customer = %d AND {0}_token = '%x' ORDER BY {0}_id DESC LIMIT 20",
             "UPDATE {0}_stock SET {0}_left = {0}_left - %d, updated_at = NOW() WHERE {0}_id = 0x%x LIMIT 1",
             "INSERT INTO {0}_hits ({0}_id, {0}_path, created_at) VALUES (%d, '/shop/%x', NOW())",
             "SELECT a.{0}_id, b.* FROM {0}_carts a JOIN {0}_items b ON b.cart_id = a.{0}_id WHERE a.{0}_rank > %d AND b.flag = '%x' GROUP BY a.{0}_id",
             "DELETE FROM {0}_sessions WHERE {0}_age > %d AND {0}_token LIKE '%x%%'")
    classes = [forms[n % 5].format("".join(chr(97 + n // 26**place % 26) for place in (0, 1, 2))) for n in range(count)]
    weights = list(accumulate(rank**-1.05 for rank in range(1, count + 1)))
    chance = random.Random(3)
    while True:
        for statement in chance.choices(classes, cum_weights=weights, k=1000):
            yield statement % (chance.randrange(MB), chance.getrandbits(40))


def repeat_log(path, times, target):
    with open(target, "wb") as out:
        for _ in range(times):
            with open(path, "rb") as log:
                shutil.copyfileobj(log, out, MB)
    return target


def table_row(measure, value, unit="", sign=None, bar=None, aim=None, told=""):
    """Prints a row; whether its bar is met, by the figure as it is printed."""
    figure = f"{value:.2f}" if isinstance(value, float) and value < 100 else f"{value:.0f}"
    meets = {"<=": lambda limit: float(figure) <= limit, ">=": lambda limit: float(figure) >= limit, None: lambda _: True}[sign]
    verdict = "" if sign is None else "aim met" if meets(aim) else "met" if meets(bar) else "NOT MET"
    limits = " | " if sign is None else f"{sign} {bar}{unit} | {aim}{unit}"
    print(f"| {measure} | {limits} | {figure}{unit}{told} | {verdict} |")
    return meets(bar)


# Time per byte of one command / that of another: measure, the two, sign, bar, aim.
RATIOS = [
    ("mysql57: wall / that of `rg -a -c`", "mysql57", "rg", "<=", 2.8, 2.1),
    ("mysql8: time per byte / mysql57", "mysql8", "mysql57", "<=", 1.6, 1.2),
    ("percona: time per byte / mysql57", "percona", "mysql57", "<=", 1.8, 1.3),
    ("mariadb: time per byte / mysql57", "mariadb", "mysql57", "<=", 1.8, 1.3),
    ("mysql57: pt-query-digest, scaled / adagio", "mysql57 by pt-query-digest, slice", "mysql57", ">=", 160, 230),
    ("mysql8: pt-query-digest, scaled / adagio", "mysql8 by pt-query-digest, slice", "mysql8", ">=", 160, 230),
    ("`--threads 1` / `--threads 2`", "--threads 1", "--threads 2", ">=", 1.8, 1.95),
    ("gzip: wall / inflating alone", "gzip", "gzip, inflated alone", "<=", 1.15, 1.05),
    ("zstd: wall / inflating alone", "zstd", "zstd, inflated alone", "<=", 1.6, 1.3),
    ("1,000,000 distinct statements: time per byte / mysql57", "1000000 distinct", "mysql57", "<=", 5, 3),
    ("5,000 classes: time per byte / 200 classes", "5000 classes", "200 classes", "<=", 1.6, 1.3),
    ("`--where 'Rows_examined > 100'` / plain", "--where", "mysql57", "<=", 1.5, 1.1),
    ("`--since 2020-01-01` / plain", "--since", "mysql57", "<=", 1.5, 1.1),
    ("`--group-by user` / plain", "--group-by", "mysql57", "<=", 1.5, 1.1),
]


def compare_with_bars(args, work):
    """One table of what adagio promises; whether all of it holds."""
    adagio = [args.bin, "digest"]
    peer = peer_command()
    in_work = lambda name: os.path.join(work, name)
    logs = {flavour: generate(args, flavour, work) for flavour in ("mysql57", "mysql8", "percona", "mariadb")}
    for count in (1_000_000, 50_000):
        logs[f"{count} distinct"] = write_log(in_work(f"distinct{count}.log"), distinct_statements(count))
    for count in (5000, 200):
        logs[f"{count} classes"] = write_log(in_work(f"classes{count}.log"), statements_of_classes(count), 200 * MB)
    plain = logs["mysql57"][0]
    few, part, empty = in_work("few.log"), in_work("part.log"), in_work("empty.log")
    slice_of(plain, 5 * MB, few)
    slice_of(plain, 300 * MB, part)
    open(empty, "wb").close()

    # (name, command, bytes, runs); what is compared stands close together.
    tools, checks, left_out = [], {}, []

    def time_it(name, path, command=adagio, runs=args.runs):
        tools.append((name, [*command, path], os.path.getsize(path), runs))

    if shutil.which("rg"):
        time_it("rg", plain, ["rg", "-a", "-c", "^# Query_time"])
    else:
        left_out.append("the row of rg: it is missing")
    time_it("mysql57", plain)
    for option, value in (("--where", "Rows_examined > 100"), ("--since", "2020-01-01"), ("--group-by", "user"), ("--threads", "1"), ("--threads", "2")):
        time_it(f"{option} {value}" if option == "--threads" else option, plain, [*adagio, option, value])
    for name, (path, _) in logs.items():
        if path != plain:
            time_it(name, path)
    for packer, level in (("gzip", "-6"), ("zstd", "-3")):
        if not args.inflate or not shutil.which(packer):
            left_out.append(f"the row of {packer}: " + (f"{packer} is missing" if args.inflate else "no --inflate"))
            continue
        packed = in_work(packer)
        with open(packed, "wb") as out:
            subprocess.run([packer, level, "-q", "-c", part], stdout=out, check=True)
        time_it(packer, packed)
        time_it(f"{packer}, inflated alone", packed, [args.inflate])
        checks[packer] = {"packed": adagio_counts(adagio, packed)[0], "plain": adagio_counts(adagio, part)[0]}
    if peer:
        for flavour in ("mysql57", "mysql8"):
            piece = in_work(f"{flavour}-slice.log")
            slice_of(logs[flavour][0], args.slice * MB, piece)
            time_it(f"{flavour} by pt-query-digest, slice", piece, [*peer, "--limit", "100%"], args.peer_runs)
            checks[flavour] = counts_of_slice(adagio, peer, piece)
    else:
        left_out.append("the rows of pt-query-digest: it is missing")
    time_it("50000 distinct, all shown", logs["50000 distinct"][0], [*adagio, "--limit", "100%"])
    # Short ones need more runs.
    time_it(EMPTY, empty, runs=25)
    time_it("5 MB", few, runs=25)
    tools.append(("--help", [args.bin, "--help"], 0, 25))

    os.sync()  # or the kernel writes the logs to disk while we measure
    figures, right = in_turn(tools)
    wall = {name: statistics.median(figure[0] for figure in figures[name]) for name, *_ in tools}
    speed = {name: size / wall[name] for name, _, size, _ in tools}

    print(f"\n### What adagio promises, with logs of {os.path.getsize(plain) / MB:.0f} MB\n")
    print("| measure | bar | aim | measured | |")
    print("| --- | ---: | ---: | ---: | --- |")
    met = []
    for measure, one, other, *limits in RATIOS:
        if one in speed and other in speed:
            told = f" ({speed[one] / MB:.1f} and {speed[other] / MB:.1f} MB/s)"
            met.append(table_row(measure, speed[other] / speed[one], "", *limits, told))

    def peak(path):
        return max(greatest("VmHWM", adagio + [path]) for _ in range(3))

    at_once = peak(plain)
    met.append(table_row("mysql57: peak memory", at_once / MB, " MB", "<=", 64, 40))
    room = shutil.disk_usage(work).free - 1000 * MB
    times = next((n for n in ((10, 4) if args.long else (4,)) if n * os.path.getsize(plain) < room), None)
    if times:
        longer = repeat_log(plain, times, in_work("longer.log"))
        most = peak(longer)
        met.append(table_row(f"mysql57: peak memory of {os.path.getsize(longer) / MB:.0f} MB / that of {os.path.getsize(plain) / MB:.0f} MB",
                             most / at_once, "", "<=", 1.1, 1.0, f" ({most / MB:.1f} and {at_once / MB:.1f} MB)"))
        if logs["mysql57"][1] is not None:
            logs["longer mysql57"] = longer, logs["mysql57"][1] * times
    else:
        left_out.append("the row of a longer log: no room on the disk")
    met.append(table_row("5,000 classes: peak memory", peak(logs["5000 classes"][0]) / MB, " MB", "<=", 128, 64))
    met.append(table_row("empty log: wall", wall[EMPTY] * 1000, " ms", "<=", 10, 3))
    first, *others = (answer([*adagio, "--threads", count, plain]) for count in "1238")
    met.append(table_row("reports of `--threads` 2, 3 and 8 that differ from that of 1", sum(other != first for other in others), "", "<=", 0, 0))
    table_row("`adagio --help`: wall", wall["--help"] * 1000, " ms")
    table_row("log of 5 MB: wall", wall["5 MB"] * 1000, " ms")
    table_row("50,000 classes, an event each: wall", wall["50000 distinct"] * 1000, " ms")
    table_row("50,000 classes, an event each, all shown: wall", wall["50000 distinct, all shown"] * 1000, " ms")

    versions = [answer(command + ["--version"]).decode().strip() for command in ([args.bin], *([peer] if peer else []))]
    print(f"\n{', '.join(versions)}; {os.cpu_count()} cores")
    for what in left_out:
        print(f"Left out: {what}")
    for name, counts in checks.items():
        right = same_counts(counts, f" of {name}") and right
    for name, (path, wanted) in logs.items():
        events, classes = adagio_counts(adagio, path)
        right = same_counts(counts_of_whole(events, path, wanted), f" of {name}") and right
        made = int(name.split()[0]) if name.endswith(("distinct", "classes")) else None
        # Events of classes past this bound share rows.
        if made is not None and made <= 65_536:
            right = same_counts({"adagio": classes, "generator": made}, f" of classes, {name}") and right
    return right and all(met)


sys.exit(main())
PY
