# SPDX-License-Identifier: BSD-3-Clause
"""Tiny OTF2 archives whose answer is worked out by hand, one rule of the trace reading each.

    python3 known_traces.py WORK_DIR      writes them there and checks otf2_graph.py against the answers

A case is: its idea; the process of each location; one line a location, "TIME WHAT, TIME WHAT, ...", where WHAT is
+region (enter), - (leave) or a word of WORDS with arguments; the critical path's length, the total waiting
time, and the useful time of each procedure over all locations, in ticks.
"""
import sys
from pathlib import Path

import otf2
from otf2 import CollectiveOp, CollectiveRoot, GroupType, Paradigm, RegionRole

from otf2_graph import OUTSIDE, Execution

ROLES = {"barrier": RegionRole.BARRIER, "implicit": RegionRole.IMPLICIT_BARRIER,
         "taskwait": RegionRole.TASK_WAIT, "task": RegionRole.TASK}
NONE = CollectiveRoot.NONE.value

# word -> (event, arguments from the communicator of the case's kind c and the integers a given)
WORDS = {
    "send": lambda c, to: ("mpi_send", to, c, 0, 8), "recv": lambda c, of: ("mpi_recv", of, c, 0, 8),
    "isend": lambda c, to, r: ("mpi_isend", to, c, 0, 8, r), "post": lambda c, r: ("mpi_irecv_request", r),
    "irecv": lambda c, of, r: ("mpi_irecv", of, c, 0, 8, r),
    "begin": lambda c: ("mpi_collective_begin",),
    "allreduce": lambda c: ("mpi_collective_end", CollectiveOp.ALLREDUCE, c, NONE, 8, 8),
    "gather": lambda c, root: ("mpi_collective_end", CollectiveOp.GATHER, c, root, 8, 8),
    "bcast": lambda c, root: ("mpi_collective_end", CollectiveOp.BCAST, c, root, 8, 8),
    "scan": lambda c: ("mpi_collective_end", CollectiveOp.SCAN, c, NONE, 8, 8),
    "request": lambda c, r: ("non_blocking_collective_request", r),
    "complete": lambda c, r: ("non_blocking_collective_complete", CollectiveOp.BARRIER, c, NONE, 8, 8, r),
    "acquire": lambda c, n: ("thread_acquire_lock", Paradigm.PTHREAD, 7, n),
    "release": lambda c, n: ("thread_release_lock", Paradigm.PTHREAD, 7, n),
    "fork": lambda c: ("thread_fork", Paradigm.OPENMP, 2), "join": lambda c: ("thread_join", Paradigm.OPENMP),
    "team": lambda c: ("thread_team_begin", c), "unteam": lambda c: ("thread_team_end", c),
    "create": lambda c, n: ("thread_create", c, n), "start": lambda c, n: ("thread_begin", c, n),
    "stop": lambda c, n: ("thread_end", c, n), "wait": lambda c, n: ("thread_wait", c, n),
    "new": lambda c, t, g: ("thread_task_create", c, t, g), "switch": lambda c, t, g: ("thread_task_switch", c, t, g),
    "done": lambda c, t, g: ("thread_task_complete", c, t, g),
}

CASES = [
    ("late sender: the receive waits 10..25, its rest is useful",
     "0 1", ["0 +f, 20 +MPI_Send, 25 send 1, 26 -, 26 -",
             "0 +g, 10 +MPI_Recv, 30 recv 0, 32 -, 40 -"],
     40, 15, {"f": 20, "MPI_Send": 6, "g": 18, "MPI_Recv": 7}),
    ("two receives in one Waitall: 10..15 for the first, 15..25 for the second, though both complete at 30",
     "0 1", ["0 +f, 15 send 1, 25 send 1, 26 -",
             "0 +g, 1 post 1, 2 post 2, 10 +MPI_Waitall, 30 irecv 0 1, 30 irecv 0 2, 32 -, 33 -"],
     33, 15, {"f": 26, "g": 11, "MPI_Waitall": 7}),
    ("a nested region ends the stretch: the wait is 20..25 only",
     "0 1", ["0 +f, 25 send 1, 26 -",
             "0 +MPI_Recv, 5 +poll, 20 -, 30 recv 0, 32 -"],
     32, 5, {"f": 26, "MPI_Recv": 5 + 7, "poll": 15}),
    ("receive before its send: cause before effect; the wait ends at the receive",
     "0 1", ["0 +f, 30 send 1, 31 -", "0 +MPI_Recv, 20 recv 0, 24 -"],
     34, 20, {"f": 31, "MPI_Recv": 4}),
    ("synchronous send: late receiver, the send waits 5..20 for the posting",
     "0 1", ["0 +f, 4 +MPI_Ssend, 5 send 1, 28 -, 30 -",
             "0 +g, 20 +MPI_Recv, 26 recv 0, 27 -, 27 -"],
     30, 15, {"f": 6, "MPI_Ssend": 1 + 8, "g": 20, "MPI_Recv": 7}),
    ("allreduce: everybody waits for the last enter (20), not for the last begin",
     "0 1 2", ["0 +f, 5 +MPI_Allreduce, 6 begin, 30 allreduce, 31 -, 31 -",
               "0 +f, 20 +MPI_Allreduce, 22 begin, 30 allreduce, 31 -, 31 -",
               "0 +f, 9 +MPI_Allreduce, 9 begin, 30 allreduce, 31 -, 31 -"],
     31, 15 + 11, {"f": 5 + 20 + 9, "MPI_Allreduce": 3 * 11}),
    ("gather: only the root (rank 1) waits; bcast: everybody but the root",
     "0 1", ["0 +MPI_Gather, 8 begin, 9 gather 1, 9 -, 9 +f, 10 -, 10 +MPI_Bcast, 10 begin, 22 bcast 1, 23 -",
             "0 +MPI_Gather, 0 begin, 9 gather 1, 9 -, 9 +f, 20 -, 20 +MPI_Bcast, 20 begin, 21 bcast 1, 23 -"],
     23, 10, {"MPI_Gather": 18, "f": 12, "MPI_Bcast": 3 + 3}),
    ("scan waits for nobody",
     "0 1", ["0 +MPI_Scan, 0 begin, 9 scan, 9 -", "0 +f, 5 -, 5 +MPI_Scan, 5 begin, 9 scan, 9 -"],
     9, 0, {"f": 5, "MPI_Scan": 9 + 4}),
    ("non-blocking barrier: arrival at the request (1, 12), waiting at the completion",
     "0 1", ["0 +MPI_Ibarrier, 1 request 1, 2 -, 2 +f, 6 -, 6 +MPI_Wait, 14 complete 1, 15 -",
             "0 +g, 11 -, 11 +MPI_Ibarrier, 12 request 1, 13 -, 13 +MPI_Wait, 13 complete 1, 14 -"],
     15, 6, {"MPI_Ibarrier": 4, "f": 4, "g": 11, "MPI_Wait": 3 + 1}),
    ("lock: the second holder waits 10..20 for the release",
     "0 0", ["0 +lock, 1 acquire 1, 1 -, 1 +f, 20 release 1, 21 -",
             "0 +g, 10 +lock, 23 acquire 2, 24 -, 30 release 2, 30 -"],
     30, 10, {"lock": 1 + 4, "f": 20, "g": 16}),
    ("create and wait: the thread begins at 3, the creator waits 5..18 for its end",
     "0 0", ["0 +f, 2 create 1, 5 +pthread_join, 20 wait 1, 21 -, 21 -", "3 start 1, 3 +work, 17 -, 18 stop 1"],
     2 + 15 + 3, 13, {"f": 5, "pthread_join": 3, "work": 14, OUTSIDE: 1}),
    ("fork and join twice: between teams the worker waits outside any region, 6..12",
     "0 0", ["0 +f, 2 fork, 2 team, 8 unteam, 8 join, 12 fork, 12 team, 13 unteam, 20 join, 20 -",
             "3 team, 3 +w, 6 -, 6 unteam, 13 team, 13 +w, 18 -, 18 unteam"],
     12 + 1 + 5 + 2, 6 + 5, {"f": 20 - 5, "w": 8, OUTSIDE: 1}),
    ("OpenMP barrier: last enter 9; the task in it is work, what leads to the switch is not",
     "0 0", ["0 fork, 0 team, 0 +f, 2 -, 2 +barrier, 5 switch 1 1, 5 +task, 8 -, 8 done 1 1, 8 switch 0 0, 12 -, 12 unteam, 12 join",
             "0 team, 0 +f, 3 new 1 1, 9 -, 9 +barrier, 12 -, 12 unteam"],
     12, 3 + 1, {"f": 2 + 9, "task": 3, "barrier": 3 + 3}),
    ("taskwait: 4..11 for the child that the other thread executes",
     "0 0", ["0 fork, 0 team, 0 +f, 3 new 0 1, 4 +taskwait, 13 -, 13 -, 13 unteam, 13 join",
             "0 team, 0 +g, 5 -, 5 +idle, 6 switch 0 1, 6 +task, 11 -, 11 done 0 1, 11 switch 1 0, 12 -, 12 unteam"],
     13, 7, {"f": 4, "taskwait": 2, "g": 5, "idle": 1 + 1, "task": 5}),
]


def write(directory, case):
    """One archive: MPI ranks if every location has a process of its own, else one process with threads."""
    _, layout, lines, *_ = case
    processes = layout.split()
    threads = len(set(processes)) < len(processes)
    with otf2.writer.open(str(directory), timer_resolution=10 ** 9) as archive:
        define = archive.definitions
        machine = define.system_tree_node("machine")
        groups = [define.location_group("process " + p, system_tree_parent=machine) for p in processes]
        locations = [define.location("location %d" % i, group=g) for i, g in enumerate(groups)]
        paradigm = Paradigm.OPENMP if threads else Paradigm.MPI
        define.group("all", GroupType.COMM_LOCATIONS, paradigm, members=tuple(locations))
        group = define.group("comm", GroupType.COMM_GROUP, paradigm, members=tuple(locations))
        communicator = define.comm("comm", group=group)
        for location, line in zip(locations, lines):
            writer, stack = archive.event_writer_from_location(location), []
            for item in line.split(","):
                time, word, *numbers = item.split()
                time = int(time) + 100
                if word.startswith("+"):
                    role = ROLES.get(word[1:], RegionRole.FUNCTION)
                    stack.append(define.region(word[1:], region_role=role,
                                               paradigm=Paradigm.OPENMP if word[1:] in ROLES else Paradigm.USER))
                    writer.enter(time, stack[-1])
                elif word == "-":
                    writer.leave(time, stack.pop())
                else:
                    kind, *arguments = WORDS[word](communicator, *map(int, numbers))
                    getattr(writer, kind)(time, *arguments)


def main(work):
    failed = 0
    for number, case in enumerate(CASES):
        about, _, _, length, waiting, totals = case
        directory = Path(work) / ("known%02d" % number)
        write(directory, case)
        result = Execution(directory).result()
        found = result["length"], result["waiting_total"], {r["name"]: r["total"] for r in result["procedures"]}
        if found != (length, waiting, totals):
            failed += 1
            print("%s:\n  expected %s\n  found    %s" % (about, (length, waiting, totals), found))
    print("%d passed, %d failed" % (len(CASES) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: known_traces.py WORK_DIR")
    sys.exit(main(sys.argv[1]))
