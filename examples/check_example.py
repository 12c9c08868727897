# SPDX-License-Identifier: BSD-3-Clause
"""Checks longpole's answers on the example trace against those that example_trace.c works out.

    check_example.py LONGPOLE EXAMPLE_TRACE

Times here are microseconds; longpole answers in seconds, and must agree to 1e-9 s.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

RANK = ["MPI Rank %d" % i for i in range(4)]

LENGTH = 100 + 25000 + 10 * 94650 + 2 * (110000 + 400) + 3000 + 2000

# procedure: at most (path), replayed (zeroing), at least (slack), everywhere (total over the ranks)
PROCEDURES = {
    "update_cells": (10 * 81000, 10 * 71045, 10 * 26005, 10 * (3 * 45000 + 81000)),
    "write_checkpoint": (2 * 110000, 2 * 110000, 2 * 110000, 2 * 110000),
    "residual": (10 * 9000, 10 * 9000, 10 * 3640, 10 * (3 * 5000 + 9000)),
    "apply_boundary": (10 * 4000, 10 * 4000, 10 * 4000, 10 * (2 * 4000 + 2 * 14000)),
    "MPI_Init": (25000, 25000, 25000, 4 * 25000),
    "MPI_Allreduce": (10 * 500, 10 * 500, 10 * 500, 4 * 10 * 500),
    "print_summary": (3000, 3000, 3000, 3000),
    "MPI_Finalize": (2000, 2000, 2000, 4 * 2000),
    # rank 0: 50, rank 1: 85 510 - 85 010, rank 2: 100, rank 3: 85 480 - 85 030
    "MPI_Waitall": (10 * 100, 10 * 100, 10 * 100, 10 * (50 + 500 + 100 + 450)),
    "MPI_Bcast": (2 * 400, 2 * 400, 2 * 400, 4 * 2 * 400),
    "MPI_Isend": (10 * 2 * 20, 10 * 2 * 20, 10 * 2 * 20, 10 * 6 * 20),
    "MPI_Irecv": (10 * 2 * 5, 10 * 2 * 5, 10 * 2 * 5, 10 * 6 * 5),
    "main": (100, 100, 100, 4 * 100),
}
TIGHT = {"update_cells": 10 * (85050 - 59005), "residual": 10 * 9000}
PLACES = {"update_cells": ("solver.c", 120), "apply_boundary": ("solver.c", 164), "write_checkpoint": ("io.c", 40)}

# (region, cause): how often, how long, most on, most for
WAITS = {
    ("MPI_Bcast", "late root of collective"): (2 * 3, 2 * 3 * 110000, RANK[1], RANK[0]),
    ("MPI_Waitall", "late sender"): (10 * 3, 10 * (9955 + 2 * 26005), RANK[1], RANK[2]),
    ("MPI_Allreduce", "wait at collective"): (10 * 3, 10 * (30075 + 3640 + 3670), RANK[0], RANK[2]),
}
PAIRS = {  # waiter, for whom: how long
    (RANK[0], RANK[2]): 10 * 30075,
    (RANK[1], RANK[0]): 10 * 9955 + 2 * 110000,
    (RANK[1], RANK[2]): 10 * (26005 + 3640),
    (RANK[2], RANK[0]): 2 * 110000,
    (RANK[3], RANK[0]): 2 * 110000,
    (RANK[3], RANK[2]): 10 * (26005 + 3670),
}
ABSENT = {RANK[0]: 0, RANK[1]: 3000, RANK[2]: 3000, RANK[3]: 3000}

failures = 0


def same(what, found, expected):
    """`expected` is in microseconds where it is a number that longpole gives in seconds."""
    global failures
    number = isinstance(found, (int, float)) and not isinstance(found, bool)
    if number and abs(found - expected / 1e6) <= 1e-9 or not number and found == expected:
        return
    failures += 1
    print("%s: found %r, expected %r" % (what, found, expected / 1e6 if number else expected))


def ask(longpole, *words):
    run = subprocess.run([longpole, *words, "--json"], capture_output=True, text=True)
    if run.returncode:
        sys.exit("longpole %s: exit %d: %s" % (" ".join(words), run.returncode, run.stderr.strip()))
    return json.loads(run.stdout)


def check_procedures(command, procedures):
    same(command + ": procedures", [p["name"] for p in procedures if p["path"] > 1e-4 + 1e-9],
         [name for name in PROCEDURES if PROCEDURES[name][0] > 100])
    found = {p["name"]: p for p in procedures}
    same(command + ": names", sorted(found), sorted(PROCEDURES))
    for name, (path, zeroing, slack, total) in PROCEDURES.items():
        for key, expected in (("path", path), ("zeroing", zeroing), ("slack", slack), ("total", total)):
            same("%s: %s of %s" % (command, key, name), found[name][key], expected)
    for name, place in PLACES.items():
        same("%s: place of %s" % (command, name), (found[name]["file"], found[name]["line"]), place)


def check_path(longpole, trace):
    result = ask(longpole, "path", "--segments", trace)
    same("path: length", result["length"], LENGTH)
    same("path: wall", result["wall"], LENGTH)
    for key, value in result["rest"].items():
        same("path: rest, " + key, value, 0)
    check_procedures("path", result["procedures"])
    processors = [piece["processor"] for piece in result["path"]]
    same("path: processors in turn", [p for i, p in enumerate(processors) if not i or processors[i - 1] != p],
         [RANK[2], RANK[0], RANK[2], RANK[0]])
    same("path: its pieces", sum(piece["duration"] for piece in result["path"]), LENGTH)
    tight = {p["name"]: p["slack"] for p in ask(longpole, "path", "--tight", trace)["procedures"]}
    for name, expected in TIGHT.items():
        same("path --tight: slack of " + name, tight[name], expected)


def check_verdict(longpole, trace):
    result = ask(longpole, "analyze", trace)
    waiting, absent = sum(w[1] for w in WAITS.values()), sum(ABSENT.values())
    useful = 4 * LENGTH - waiting - absent
    for key, expected in (("elapsed", LENGTH), ("useful", useful), ("outside", 0), ("waiting", waiting),
                          ("overhead", 0), ("absent", absent)):
        same("analyze: " + key, result[key], expected)
    same("analyze: path length", result["path"]["length"], LENGTH)
    check_procedures("analyze", result["path"]["procedures"])
    same("analyze: average parallelism", result["parallelism"]["average"], 1e6 * useful / LENGTH)
    for key in "unmatched_sends", "unmatched_receives", "incomplete_collectives", "clock_violations":
        same("analyze: " + key, result["reading"][key], 0)
    same("analyze: wait states, largest first", [(w["region"], w["cause"]) for w in result["waits"]], list(WAITS))
    for wait in result["waits"]:
        count, time, on, whom = WAITS[wait["region"], wait["cause"]]
        same("analyze: waiting in " + wait["region"], wait["time"], time)
        same("analyze: waits in " + wait["region"], [wait["count"], wait["most_on"], wait["most_for"]],
             [count, on, whom])
    same("analyze: who waits for whom", sorted((p["waiter"], p["for"]) for p in result["wait_pairs"]), sorted(PAIRS))
    for pair in result["wait_pairs"]:
        same("analyze: %s for %s" % (pair["waiter"], pair["for"]), pair["time"], PAIRS[pair["waiter"], pair["for"]])
    for account in result["per_processor"]:
        rank = account["processor"]
        waits = sum(time for pair, time in PAIRS.items() if pair[0] == rank)
        same("analyze: waiting on " + rank, account["waiting"], waits)
        same("analyze: absent on " + rank, account["absent"], ABSENT[rank])
        same("analyze: useful on " + rank, account["useful"], LENGTH - waits - ABSENT[rank])


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: check_example.py LONGPOLE EXAMPLE_TRACE")
    longpole, example_trace = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        trace = str(Path(folder) / "trace")
        subprocess.run([example_trace, trace], check=True)
        check_path(longpole, trace)
        check_verdict(longpole, trace)
    print("the example trace: %s" % ("%d answers differ" % failures if failures else "all answers as expected"))
    sys.exit(1 if failures else 0)


main()
