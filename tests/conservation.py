#!/usr/bin/env python3
"""Every byte of a log is an event, a header or skipped: held on whole files and on cut ones.

    tests/conservation.py --bin target/release/adagio samples/slow
    tests/conservation.py --bin target/release/adagio --all FOLDER...   # no cap on the cuts

For each file (`*.log`, `*.txt`, `*.log.N`; folders are searched): the whole, then the file cut
at every 97th byte, once the part before the cut and once the part behind it. A run fails if the
program panics, takes longer than 20 s, or ends with a status other than 0 or 2; with status 0
each entry of `input` must satisfy bytes = event_bytes + header_bytes + skipped_bytes, and the
bytes must be those given.

Without --all the cuts of a file are thinned out evenly so that no more than --cuts runs are made
in total; the first and the last cut of a file always stay. One line a file, then
`N passed, M failed`; exit status 1 if any failed.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

NAMES = re.compile(r"\.(log|txt)(\.\d+)?$")
TIMEOUT = 20
OWN = threading.local()


def logs(paths):
    found = []
    for path in paths:
        if os.path.isdir(path):
            for folder, _, names in os.walk(path):
                found += [os.path.join(folder, name) for name in names if NAMES.search(name)]
        else:
            found.append(path)
    return sorted(found)


def cuts_of(size, step, most):
    """Where to cut: multiples of `step`, at most `most` of them, evenly spread."""
    every = list(range(step, size, step))
    if most is None or len(every) <= most:
        return every
    if most < 2:
        return every[:most]
    return [every[i * (len(every) - 1) // (most - 1)] for i in range(most)]


def cap(sizes, step, runs):
    """The greatest number of cuts a file for which all files together stay within `runs`."""
    low, high = 0, max([size // step for size in sizes] + [0])
    while low < high:
        middle = (low + high + 1) // 2
        if sum(2 * min(size // step, middle) for size in sizes) <= runs:
            low = middle
        else:
            high = middle - 1
    return low


def fault(program, data, threads):
    """What is wrong with the run on `data`, or None."""
    if not hasattr(OWN, "folder"):
        OWN.folder = tempfile.TemporaryDirectory(prefix="conservation-")
    path = os.path.join(OWN.folder.name, "cut.log")
    with open(path, "wb") as out:
        out.write(data)
    command = [program, "digest", "-o", "json", "--limit", "1", "--threads", str(threads), path]
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"not done after {TIMEOUT} s"
    if b"panicked at" in run.stderr:
        return "panic: " + run.stderr.decode(errors="replace").strip().splitlines()[0][:200]
    if run.returncode not in (0, 2):
        return f"status {run.returncode}: " + run.stderr.decode(errors="replace").strip()[-200:]
    if run.returncode == 2:
        return None if run.stderr.strip() else "status 2 without a word on standard error"
    try:
        inputs = json.loads(run.stdout)["input"]
    except (ValueError, KeyError, TypeError, UnicodeDecodeError) as error:
        return f"no JSON with `input`: {error!r}"
    if len(inputs) != 1:
        return f"{len(inputs)} entries in `input`"
    try:
        sizes = [inputs[0][key] for key in ("bytes", "event_bytes", "header_bytes", "skipped_bytes")]
    except KeyError as error:
        return f"`input` lacks {error}"
    if sizes[0] != sum(sizes[1:]):
        return "bytes %d, but %d of events + %d of headers + %d skipped" % tuple(sizes)
    if sizes[0] != len(data):
        return f"bytes {sizes[0]}, given {len(data)}"
    return None


def judge(program, path, most, step, pool):
    with open(path, "rb") as file:
        data = file.read()
    wholes = [("whole", data, 1), ("whole, 8 threads", data, 8)]
    cuts = cuts_of(len(data), step, most)
    parts = [(f"first {cut} bytes", data[:cut], 1) for cut in cuts]
    parts += [(f"from byte {cut} on", data[cut:], 1) for cut in cuts]
    runs = [(what, pool.submit(fault, program, part, threads)) for what, part, threads in wholes + parts]
    faults = [(what, run.result()) for what, run in runs]
    return len(runs), [(what, wrong) for what, wrong in faults if wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="the adagio binary")
    parser.add_argument("--step", type=int, default=97, help="distance of the cuts in bytes (default 97)")
    parser.add_argument("--cuts", type=int, default=16000, help="most runs on cut files in total (default 16000)")
    parser.add_argument("--all", action="store_true", help="every cut, however long it takes")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (default 2)")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="logs, or folders of logs")
    args = parser.parse_args()

    files = logs(args.paths)
    if not files:
        parser.error("no log found")
    most = None if args.all else cap([os.path.getsize(path) for path in files], args.step, args.cuts)
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for path in files:
            count, faults = judge(os.path.abspath(args.bin), path, most, args.step, pool)
            if faults:
                failed += 1
                first = "; ".join(f"{what}: {wrong}" for what, wrong in faults[:3])
                print(f"FAIL {path}: {len(faults)} of {count} runs: {first}", flush=True)
            else:
                passed += 1
                print(f"ok   {path}: {count} runs", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
