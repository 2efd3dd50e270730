#!/usr/bin/env bash
# adagio beside the tools at hand, on the same logs, in turn: a Markdown table of medians.
#
#   benches/compare.sh --bin target/release/adagio FILE...
#   benches/compare.sh --bin target/release/adagio --generator make_slowlog.py --size 1GB --flavour mysql8
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
set -euo pipefail
command -v python3 >/dev/null || { echo 'compare.sh needs python3' >&2; exit 2; }
exec python3 - "$@" <<'PY'
import argparse
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

MB = 1_000_000


def run(command, out=subprocess.DEVNULL):
    """Wall s, CPU s, peak bytes, status."""
    began = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, child.returncode


def anonymous(command):
    """Greatest RssAnon of the child, looked at every 5 ms."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while child.poll() is None:
        try:
            with open(f"/proc/{child.pid}/status") as status:
                found = re.search(r"^RssAnon:\s+(\d+) kB", status.read(), re.M)
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


def main():
    parser = argparse.ArgumentParser(prog="compare.sh", description="adagio beside other tools on the same logs")
    parser.add_argument("--bin", default="target/release/adagio")
    parser.add_argument("--generator", default=os.environ.get("ADAGIO_GENERATOR"))
    parser.add_argument("--size", default="1GB")
    parser.add_argument("--flavour", default="mysql57,mysql8", help="with commas between")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peer-runs", type=int, default=3, help="rounds of the tools that read the slice")
    parser.add_argument("--slice", type=int, default=50, metavar="MB")
    parser.add_argument("files", nargs="*", metavar="FILE")
    args = parser.parse_args()
    if not args.files and not args.generator:
        parser.error("give FILE or --generator")

    right = True
    with tempfile.TemporaryDirectory(prefix="adagio-compare-") as work:
        logs = [(path, None) for path in args.files]
        if not logs:
            for flavour in args.flavour.split(","):
                path = os.path.join(work, flavour + ".log")
                said = subprocess.run([sys.executable, args.generator, "--size", args.size, "--flavour", flavour,
                                       "--seed", "1", "--count", path], capture_output=True, text=True, check=True)
                found = re.search(r"events (\d+)", said.stdout + said.stderr)
                logs.append((path, int(found[1]) if found else None))
        for path, wanted in logs:
            right = compare(args, path, wanted, work) and right
    return 0 if right else 1


def compare(args, path, wanted, work):
    size = os.path.getsize(path)
    part = os.path.join(work, "slice.log")
    part_size = slice_of(path, args.slice * MB, part)
    peer = shlex.split(os.environ.get("PT_QUERY_DIGEST", "pt-query-digest"))
    adagio = [args.bin, "digest"]
    tools = [("adagio", adagio + [path], size, args.runs), ("adagio --threads 1", adagio + ["--threads", "1", path], size, args.runs)]
    if shutil.which("rg"):
        tools.append(("rg -c '^# Query_time'", ["rg", "-a", "-c", "^# Query_time", path], size, args.runs))
    tools.append(("wc -l", ["wc", "-l", path], size, args.runs))
    tools.append(("adagio, slice", adagio + [part], part_size, args.runs))
    if shutil.which(peer[0]):
        tools.append(("pt-query-digest, slice", peer + ["--no-version-check", "--limit", "100%", part], part_size, args.peer_runs))
    if shutil.which("mariadb-dumpslow"):
        tools.append(("mariadb-dumpslow, slice", ["mariadb-dumpslow", part], part_size, args.peer_runs))

    for name, command, _, _ in tools:
        if not name.endswith(", slice") or name.startswith("adagio"):
            run(command)
    figures = {name: [] for name, *_ in tools}
    right = True
    for turn in range(max(args.runs, args.peer_runs)):
        for name, command, _, runs in tools:
            if turn < runs:
                figures[name].append(run(command))
                if figures[name][-1][3] != 0:
                    right = False
                    print(f"{name}: status {figures[name][-1][3]}", file=sys.stderr)

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
    print(f"\nadagio, anonymous memory: {anonymous(adagio + [path]) / MB:.0f} MB")

    def events(log):
        try:
            return sum(entry["events"] for entry in json.loads(answer(adagio + ["-o", "json", "--limit", "1", log]))["input"])
        except (ValueError, KeyError, TypeError):
            return None

    counts = {"adagio": events(path)}
    if wanted is not None:
        counts["generator"] = wanted
    if shutil.which("rg"):
        counts["rg"] = int(answer(["rg", "-a", "-c", "^# Query_time", path]) or 0)
    checks = [counts]
    if shutil.which(peer[0]):
        try:
            told = json.loads(answer(peer + ["--no-version-check", "--limit", "1", "--output", "json", part]))
            checks.append({"adagio, slice": events(part), "pt-query-digest, slice": int(told["global"]["query_count"])})
        except (ValueError, KeyError, TypeError):
            print("pt-query-digest gave no JSON", file=sys.stderr)
    for group in checks:
        same = len(set(group.values())) == 1
        right = right and same
        told = ", ".join(f"{name} {count}" for name, count in group.items())
        print(f"{'Same counts' if same else 'DIFFERENT COUNTS'}: {told}")
    return right


sys.exit(main())
PY
