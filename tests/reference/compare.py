# SPDX-License-Identifier: BSD-3-Clause
"""Compares longpole with the reference implementation on known and random inputs.

    python3 compare.py --longpole BIN --work DIR --seeds A-B [--kind trace,graph,events,known] [--keep]

For each seed: a random OTF2 archive (feature sets take turns), a random activity graph and a random event trace;
with `known`, the hand-made archives of known_traces.py first.  One line for each difference, both values on it; exit 1
if there is any.  The input of a failed seed stays in DIR.  Without --longpole the reference is checked alone,
for what must hold for every trace.
"""
import argparse
import json
import random
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import known_traces
import random_trace
from otf2_graph import Execution
from pag import Graph, check_properties, random_event_trace_json, random_graph_json

EVERYTHING = random_trace.FEATURES
FEATURE_SETS = [line.split() for line in """\
p2p
p2p nonblocking
collective
collective nbcollective nonblocking
forkjoin lock
forkjoin barrier
createwait lock
forkjoin barrier task
ssend p2p
ssend nonblocking
p2p forkjoin barrier createwait
task lock createwait context
p2p nonblocking collective skew
forkjoin barrier task p2p collective""".splitlines()] + [EVERYTHING, EVERYTHING + ["context"], EVERYTHING + ["skew"]]

# With only these, waiting by the rules is exactly what the simulated program waited.
EXACT_WAITING = {"p2p", "forkjoin", "barrier", "createwait"}


class Failure(Exception):
    pass


def longpole(binary, *arguments):
    run = subprocess.run([binary, *map(str, arguments), "--json", "--salvage"], capture_output=True, text=True)
    if run.returncode != 0:
        message = (run.stderr.strip().splitlines() or ["no message"])[0]
        raise Failure("%s: exit %d: %s" % (arguments[0], run.returncode, message))
    try:
        result = json.loads(run.stdout)
    except ValueError as error:
        raise Failure("%s: not JSON: %s" % (arguments[0], error))
    if result.get("kind") != arguments[0] or "longpole" not in result:
        raise Failure("%s: \"kind\" or \"longpole\" missing" % arguments[0])
    return result


class Check:
    """Collects differences of one input.  `unit` turns the reference's numbers into longpole's."""

    def __init__(self, unit=1, relative=0.0, absolute=0.0):
        self.unit, self.relative, self.absolute, self.differences = unit, relative, absolute, []

    def number(self, what, found, expected, unit=None, relative=None):
        wanted = float(Fraction(expected) * (self.unit if unit is None else unit))
        relative = self.relative if relative is None else relative
        good = isinstance(found, (int, float)) and \
            abs(found - wanted) <= relative * max(abs(found), abs(wanted)) + self.absolute
        if not good:
            self.differences.append("%s: longpole %r, reference %r" % (what, found, wanted))

    def procedures(self, what, result, rows, keys):
        """keys: longpole's key -> the reference's.  A procedure that is not listed counts as all 0."""
        found = {row["name"]: row for row in result["procedures"]}
        wanted = {row["name"]: row for row in rows}
        for name in sorted(set(found) | set(wanted)):
            for key, ours in keys.items():
                self.number("%s %s.%s" % (what, name, key), found.get(name, {key: 0}).get(key),
                            wanted.get(name, {}).get(ours, 0))
        order = [row["path"] for row in result["procedures"]]
        if order != sorted(order, reverse=True):
            self.differences.append("%s: procedures are not by path, largest first" % what)

    def profile(self, what, result, graph, count):
        keep = lambda profile: [[float(a), float(b), k] for a, b, k in profile if a < b and k]
        found, wanted = keep(result["profile"]), keep(graph.parallelism_profile(count))
        if found != wanted:
            self.differences.append("%s profile: longpole %s, reference %s" % (what, found, wanted))
        shape, found = graph.shape(count), {int(k): f for k, f in result["shape"].items()}
        for degree in sorted((set(shape) | set(found)) - {0}):
            self.number("%s shape[%d]" % (what, degree), found.get(degree, 0), shape.get(degree, 0), relative=1e-12)


PATH_KEYS = {key: key for key in ("path", "slack", "zeroing", "total")}
TIGHT_KEYS = {"path": "path", "slack": "tight"}


def compare_path(check, binary, file, length, rows, wall=None):
    for what, options, keys in (("path", [], PATH_KEYS), ("path --tight", ["--tight"], TIGHT_KEYS)):
        result = longpole(binary, "path", file, *options)
        check.number(what + " length", result.get("length"), length)
        if wall is not None:
            check.number(what + " wall", result.get("wall"), wall)
        check.procedures(what, result, rows, keys)


def compare_parallelism(check, binary, file, graph, count="work", profile=False):
    result, what = longpole(binary, "parallelism", file, "--count", count), "parallelism --count " + count
    check.number(what + " work", result.get("work"), graph.work(count))
    check.number(what + " length", result.get("length"), graph.length())
    check.number(what + " average", result.get("average"), graph.average_parallelism(count), 1, 1e-9)
    check.number(what + " maximum", result.get("maximum"), graph.maximum_parallelism(count), 1)
    if profile:
        check.profile(what, result, graph, count)


def compare_archive(binary, archive):
    execution = Execution(archive)
    result = execution.result()
    check = Check(Fraction(1, execution.ticks_per_second), 1e-9, 1e-12)
    compare_path(check, binary, archive, result["length"], result["procedures"], result["wall"])
    compare_parallelism(check, binary, archive, execution.graph)
    return check.differences


# ---- the kinds of input ----------------------------------------------------------------------------

def trace(seed, file, binary):
    rng, features = random.Random(seed), FEATURE_SETS[seed % len(FEATURE_SETS)]
    program = random_trace.generate(file, seed, rng.randint(1, 4), rng.randint(1, 3), rng.choice((8, 25, 60)), features)
    differences = reference_alone(program, Execution(file), features)
    return differences + (compare_archive(binary, file) if binary else [])


def graph(seed, file, binary):
    data = random_graph_json(random.Random(seed), fractions=seed % 5 == 0)
    file.write_text(json.dumps(data))
    reference, check = Graph.from_json(data), Check()
    check_properties(reference)
    if binary:
        compare_path(check, binary, file, reference.length(), reference.table())
        for count in ("work", "all"):
            compare_parallelism(check, binary, file, reference, count, profile=True)
    return check.differences


def events(seed, file, binary):
    data = random_event_trace_json(random.Random(seed))
    file.write_text(json.dumps(data))
    reference, check = Graph.from_event_trace(data), Check()
    check_properties(reference)
    if binary:
        for count in ("work", "all"):
            compare_parallelism(check, binary, file, reference, count, profile=True)
    return check.differences


def known(number, file, binary):
    known_traces.write(file, known_traces.CASES[number])
    return compare_archive(binary, file) if binary else []


def reference_alone(program, execution, features):
    """What must hold whatever longpole says: a list of what does not."""
    result, wrong = execution.result(), []
    spans = sum(t.events[-1][1] - t.events[0][1] for p in program.processes for t in p.threads if t.events)
    if result["work"] + result["waiting_total"] != spans:
        wrong.append("reference: useful + waiting is not the time of all processors")
    if "skew" not in features and (result["violations"] or result["length"] > result["wall"]):
        wrong.append("reference: violations in a causally consistent trace, or path longer than the run")
    if set(features) <= EXACT_WAITING and result["waiting_total"] != program.waited:
        wrong.append("reference: waiting %d, simulated %d" % (result["waiting_total"], program.waited))
    for row in result["procedures"]:
        chain = [0, row["slack"], row["tight"], row["zeroing"], row["path"], row["total"]]
        if chain != sorted(chain):
            wrong.append("reference: %s: slack <= tight <= zeroing <= path <= total fails" % row["name"])
    return wrong


KINDS = {"known": (known, ""), "trace": (trace, ""), "graph": (graph, ".json"), "events": (events, ".json")}


def about(kind, seed):
    if kind == "trace":
        return " [%s]" % ",".join(FEATURE_SETS[seed % len(FEATURE_SETS)])
    return " [%s]" % known_traces.CASES[seed][0] if kind == "known" else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--longpole", help="the binary; without it only the reference is checked")
    parser.add_argument("--work", required=True, type=Path, help="directory for inputs")
    parser.add_argument("--seeds", default="0-99", help="A-B, both included")
    parser.add_argument("--kind", default=",".join(KINDS))
    parser.add_argument("--keep", action="store_true", help="keep inputs that agree, too")
    options = parser.parse_args()
    first, last = map(int, options.seeds.split("-"))
    options.work.mkdir(parents=True, exist_ok=True)
    passed = failed = 0
    for kind in options.kind.split(","):
        run, suffix = KINDS[kind]
        for seed in range(len(known_traces.CASES)) if kind == "known" else range(first, last + 1):
            file = options.work / ("%s%d%s" % (kind, seed, suffix))
            shutil.rmtree(file, ignore_errors=True)
            try:
                differences = run(seed, file, options.longpole)
            except Failure as failure:
                differences = [str(failure)]
            for difference in differences:
                print("%s seed %d%s: %s" % (kind, seed, about(kind, seed), difference))
            failed, passed = (failed + 1, passed) if differences else (failed, passed + 1)
            if not differences and not options.keep:
                shutil.rmtree(file) if file.is_dir() else file.unlink()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
