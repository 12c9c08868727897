# SPDX-License-Identifier: BSD-3-Clause
"""Program activity graphs, the plain way: the second opinion the tests compare longpole with.

Longest path, critical-path profile, Slack (literal and all-pairs), Logical Zeroing, crit times,
average parallelism, profile and shape, by the definitions of METHODS sections 1 and 3.  Arithmetic is
exact (int or Fraction); nothing here is fast, everything is meant to be read beside the definition.

    python3 pag.py --self-test DIR_OF_VECTORS      checks vectors 01 to 04 and random graphs
"""
import json
import random
import sys
from collections import namedtuple
from fractions import Fraction
from pathlib import Path

ROOT, END = "<root>", "<end>"

# procedure is None for a cross arc; weight is what counts on a path (0 for waiting).
Arc = namedtuple("Arc", "source target procedure weight duration useful")
Segment = namedtuple("Segment", "start end slack")


def exact(number):
    """A JSON number as int or Fraction, as it was written (0.1 is one tenth)."""
    return number if isinstance(number, (int, Fraction)) else Fraction(repr(number))


class Graph:
    """nodes: [(name, process)]; process_arcs: [(from, to, procedure, duration, useful)];
    cross_arcs: [(from, to, weight)].  Order of arcs is the order of the input, process arcs first:
    so "on a tie the local arc wins, then the arc that comes first" is "the first arc wins"."""

    def __init__(self, nodes, process_arcs, cross_arcs):
        self.nodes = [name for name, _ in nodes]
        self.process = dict(nodes)
        self.arcs = [Arc(a, b, p, exact(d) if useful else 0, exact(d), useful)
                     for a, b, p, d, useful in process_arcs]
        self.arcs += [Arc(a, b, None, exact(w), exact(w), True) for a, b, w in cross_arcs]
        self._close()
        self._index()

    @classmethod
    def from_json(cls, data):
        return cls(data["nodes"], data["process_arcs"], data["cross_arcs"])

    @classmethod
    def from_event_trace(cls, data):
        """Event-trace JSON (vector 04): each process starts at an event of its own, at time 0."""
        nodes, local, cross = [], [], []
        for process, events in data.items():
            previous = process + ".start"
            nodes.append((previous, process))
            for event in events:
                nodes.append((event["id"], process))
                local.append((previous, event["id"], process, event["work"], True))
                if "recv" in event:
                    cross.append((event["recv"], event["id"], event.get("comm", 0)))
                previous = event["id"]
        return cls(nodes, local, cross)

    def _close(self):
        """One source and one sink: a virtual root and end with weight-0 arcs, in node order."""
        targets, origins = {a.target for a in self.arcs}, {a.source for a in self.arcs}
        sources = [n for n in self.nodes if n not in targets]
        sinks = [n for n in self.nodes if n not in origins]
        if len(sources) > 1:
            self.nodes.insert(0, ROOT)
            self.arcs += [Arc(ROOT, n, None, 0, 0, True) for n in sources]
        if len(sinks) > 1:
            self.nodes.append(END)
            self.arcs += [Arc(n, END, None, 0, 0, True) for n in sinks]

    def _index(self):
        self.into = {n: [] for n in self.nodes}
        self.out_of = {n: [] for n in self.nodes}
        for arc in self.arcs:
            self.into[arc.target].append(arc)
            self.out_of[arc.source].append(arc)
        missing = {n: len(self.into[n]) for n in self.nodes}
        self.order = [n for n in self.nodes if missing[n] == 0]
        for node in self.order:                       # grows while it is walked
            for arc in self.out_of[node]:
                missing[arc.target] -= 1
                if missing[arc.target] == 0:
                    self.order.append(arc.target)
        if len(self.order) != len(self.nodes):
            raise ValueError("cycle through " + str(next(n for n in self.nodes if missing[n] > 0)))

    # ---- critical path -----------------------------------------------------------------------

    def distances(self, weight=lambda arc: arc.weight):
        """Longest path to every node: crit(e) of METHODS 3.2."""
        dist = {}
        for node in self.order:
            dist[node] = max((dist[a.source] + weight(a) for a in self.into[node]), default=0)
        return dist

    def length(self, weight=lambda arc: arc.weight):
        return max(self.distances(weight).values(), default=0)

    def path_arcs(self):
        """The critical path, first arc first."""
        dist, path = self.distances(), []
        node = self.order[-1]
        assert not self.out_of[node]                  # the only sink
        while self.into[node]:
            arc = next(a for a in self.into[node] if dist[a.source] + a.weight == dist[node])
            path.insert(0, arc)
            node = arc.source
        return path

    def path_nodes(self):
        path = self.path_arcs()
        nodes = [path[0].source] + [a.target for a in path] if path else self.order[:1]
        return [n for n in nodes if n not in (ROOT, END)]

    def all_paths(self, node=None):
        """Every path from the source to the sink, as lists of arcs (tiny graphs only)."""
        node = self.order[0] if node is None else node
        if not self.out_of[node]:
            yield []
        for arc in self.out_of[node]:
            for rest in self.all_paths(arc.target):
                yield [arc] + rest

    def procedures(self):
        seen = {a.procedure: None for a in self.arcs if a.procedure is not None}
        return list(seen)

    def profile_of_path(self):
        """Procedure -> time on the critical path, in the order of the path."""
        profile = {}
        for arc in self.path_arcs():
            if arc.procedure is not None and arc.useful:
                profile[arc.procedure] = profile.get(arc.procedure, 0) + arc.weight
        return profile

    def totals(self):
        """Procedure -> useful time over all processes."""
        total = dict.fromkeys(self.procedures(), 0)
        for arc in self.arcs:
            if arc.procedure is not None:
                total[arc.procedure] += arc.weight
        return total

    # ---- Slack -------------------------------------------------------------------------------

    def literal_segments(self, trace=None):
        """Phase 2.  Messages F(tag, length) go along every arc off the path; `trace`, a list, collects them."""
        path = self.path_arcs()
        on_path = {id(a) for a in path}
        position = {n: i for i, n in enumerate([path[0].source] + [a.target for a in path])} if path else {}
        dist, segments, message = self.distances(), [], {}     # message: id(arc) -> (tag, length)
        for node in self.order:
            received = [message[id(a)] for a in self.into[node] if id(a) in message]
            if node in position:
                for tag, length in received:
                    segments.append(Segment(tag, node, dist[node] - dist[tag] - length))
                forward = (node, 0)
            elif received:
                forward = max(received, key=lambda m: dist[m[0]] + m[1])     # the first of equals
                for loser in received:
                    if loser[0] != forward[0]:
                        first, second = sorted((loser[0], forward[0]), key=position.get)
                        segments.append(Segment(first, second, dist[forward[0]] + forward[1]
                                                - dist[loser[0]] - loser[1]))
            else:
                continue
            for arc in self.out_of[node]:
                if id(arc) not in on_path:
                    message[id(arc)] = (forward[0], forward[1] + arc.weight)
                    if trace is not None:
                        trace.append([node, arc.target, forward[0], forward[1] + arc.weight])
        return segments

    def tight_segments(self):
        """All pairs of critical nodes joined by a path without critical inner nodes."""
        path = self.path_arcs()
        on_path = {id(a) for a in path}
        critical = {path[0].source} | {a.target for a in path} if path else set()
        dist, segments = self.distances(), []
        for start in [n for n in self.order if n in critical]:
            longest = {start: 0}
            for node in self.order:
                if node not in longest or (node in critical and node != start):
                    continue
                for arc in self.out_of[node]:
                    if id(arc) not in on_path:
                        length = longest[node] + arc.weight
                        longest[arc.target] = max(length, longest.get(arc.target, length))
            segments += [Segment(start, end, dist[end] - dist[start] - longest[end])
                         for end in self.order if end in longest and end in critical and end != start]
        return segments

    def slack(self, segments):
        """Phase 3: procedure -> Slack for the given segments."""
        return {p: sum(cuts.values()) for p, cuts in self.reductions(segments).items()}

    def reductions(self, segments):
        """Phase 3 in full: procedure -> {position on the path: how much that arc may shrink}."""
        path, result = self.path_arcs(), {}
        for procedure in self.profile_of_path():
            table, cuts = {}, {}                      # active segment -> slack that remains
            for step, arc in enumerate(path):
                table = {s: left for s, left in table.items() if s[1].end != arc.source}
                table.update({(i, s): s.slack for i, s in enumerate(segments) if s.start == arc.source})
                if arc.procedure == procedure and arc.useful:
                    cut = min([arc.weight] + list(table.values()))
                    cuts[step] = cut
                    table = {s: left - cut for s, left in table.items()}
            result[procedure] = cuts
        return result

    # ---- Logical Zeroing ---------------------------------------------------------------------

    def zeroing(self, procedure):
        """How much shorter the longest path is when all arcs of the procedure weigh nothing."""
        return self.length() - self.length(lambda a: 0 if a.procedure == procedure else a.weight)

    def zeroing_on_path(self, procedure):
        """The same for the procedure's arcs on the critical path only."""
        on_path = {id(a) for a in self.path_arcs()}
        return self.length() - self.length(
            lambda a: 0 if a.procedure == procedure and id(a) in on_path else a.weight)

    # ---- parallelism -------------------------------------------------------------------------

    def activities(self, count="work"):
        """Arcs that count as activity: useful process arcs, with count="all" messages too."""
        return [a for a in self.arcs if a.procedure is not None or count == "all"]

    def work(self, count="work"):
        return sum(a.weight for a in self.activities(count))

    def average_parallelism(self, count="work"):
        return Fraction(self.work(count)) / self.length() if self.length() else Fraction(0)

    def parallelism_profile(self, count="work", latest=False):
        """[[t0, t1, degree]] over [0, length]: every activity as early as it can be, or as late."""
        length, dist = self.length(), self.distances()
        if latest:                                    # a process still ends when it ends (vector 04)
            late = {}
            for node in reversed(self.order):
                late[node] = min((late[a.target] - a.weight for a in self.out_of[node] if a.target != END),
                                 default=dist[node])
            spans = [(late[a.target] - a.weight, late[a.target]) for a in self.activities(count)]
        else:
            spans = [(dist[a.source], dist[a.source] + a.weight) for a in self.activities(count)]
        change = {0: 0, length: 0}
        for begin, end in spans:
            change[begin] = change.get(begin, 0) + 1
            change[end] = change.get(end, 0) - 1
        times, profile, degree = sorted(change), [], 0
        for begin, end in zip(times, times[1:]):
            degree += change[begin]
            if profile and profile[-1][2] == degree:
                profile[-1][1] = end
            else:
                profile.append([begin, end, degree])
        return profile

    def shape(self, count="work", latest=False):
        """Degree -> fraction of the length."""
        shape = {}
        for begin, end, degree in self.parallelism_profile(count, latest):
            shape[degree] = shape.get(degree, 0) + Fraction(end - begin) / self.length()
        return shape

    def maximum_parallelism(self, count="work"):
        return max((k for _, _, k in self.parallelism_profile(count)), default=0)

    # ---- everything at once ------------------------------------------------------------------

    def table(self, tight=True):
        """One row a procedure, as in the `path` result; largest path first, then by name."""
        path = self.profile_of_path()
        slack = self.slack(self.literal_segments())
        close = self.slack(self.tight_segments()) if tight else {}
        rows = [{"name": p, "path": path.get(p, 0), "slack": slack.get(p, 0), "tight": close.get(p, 0),
                 "zeroing": self.zeroing(p), "total": total} for p, total in self.totals().items()]
        return sorted(rows, key=lambda r: (-r["path"], r["name"]))


# ---- random graphs and the self test ---------------------------------------------------------------

def random_graph_json(rng, processes=None, fractions=False):
    """Several processes (a chain may have gaps), waiting arcs, weighted cross arcs, many sources and sinks."""
    processes = processes or rng.randint(1, 5)
    chains = {"P%d" % i: [] for i in range(processes)}
    sequence = []
    for i in range(rng.randint(processes, processes * 6)):
        process = "P%d" % (i if i < processes else rng.randrange(processes))
        sequence.append(("n%d" % i, process))
        chains[process].append("n%d" % i)
    rank = {name: i for i, (name, _) in enumerate(sequence)}
    duration = (lambda: rng.randint(0, 40) / 8) if fractions else (lambda: rng.choice((0, 0, 1, 1, 2, 3, 4, 5, 6)))
    local = [[a, b, rng.choice("fgh"), duration(), rng.random() < 0.8]
             for chain in chains.values() for a, b in zip(chain, chain[1:]) if rng.random() < 0.97]
    cross = []
    for _ in range(rng.randint(0, 2 * len(sequence))):
        a, b = sorted(rng.sample(sequence, 2), key=lambda n: rank[n[0]]) if len(sequence) > 1 else (None, None)
        if a and a[1] != b[1]:
            cross.append([a[0], b[0], rng.choice((0, 0, 0, 1, 2))])
    nodes = sorted(sequence, key=lambda n: (n[1], rank[n[0]]))
    return {"nodes": [list(n) for n in nodes], "process_arcs": local, "cross_arcs": cross}


def random_event_trace_json(rng):
    """Random event-trace JSON: receives name a send that was made earlier on another process."""
    trace = {"p%d" % i: [] for i in range(rng.randint(1, 5))}
    made = []
    for i in range(rng.randint(len(trace), len(trace) * 6)):
        process = rng.choice(list(trace))
        event = {"id": "e%d" % i, "work": rng.randint(0, 9)}
        senders = [name for name, owner in made if owner != process]
        if senders and rng.random() < 0.5:
            event.update(recv=rng.choice(senders), comm=rng.randint(0, 3))
        trace[process].append(event)
        made.append((event["id"], process))
    return trace


def check_properties(graph):
    """What must hold for every graph; raises AssertionError."""
    path, length = graph.profile_of_path(), graph.length()
    assert sum(a.weight for a in graph.path_arcs()) == length
    for segments in (graph.literal_segments(), graph.tight_segments()):
        assert all(s.slack >= 0 for s in segments)
        for procedure, cuts in graph.reductions(segments).items():
            shorter = {id(a): a.weight - cuts.get(i, 0) for i, a in enumerate(graph.path_arcs())}
            after = graph.length(lambda a: shorter.get(id(a), a.weight))
            assert length - after == sum(cuts.values()), "the old path must stay critical"
    slack, tight = graph.slack(graph.literal_segments()), graph.slack(graph.tight_segments())
    for p in graph.procedures():
        chain = [0, slack.get(p, 0), tight.get(p, 0), graph.zeroing_on_path(p), graph.zeroing(p), path.get(p, 0)]
        assert chain == sorted(chain), "Slack <= tight <= LZ_on <= LZ <= path: %s %s" % (p, chain)
    for count in ("work", "all"):
        for latest in (False, True):
            profile = graph.parallelism_profile(count, latest)
            assert sum((t1 - t0) * k for t0, t1, k in profile) == graph.work(count)
            assert sum(k * f for k, f in graph.shape(count, latest).items()) == graph.average_parallelism(count)
        assert graph.average_parallelism(count) <= graph.maximum_parallelism(count)
    begun = {a.target for a in graph.arcs if a.procedure is not None}       # one chain a first node
    assert graph.maximum_parallelism("work") <= max(1, len([n for n in graph.process if n not in begun]))


def brute_force_agrees(graph):
    """Longest path by enumeration, for graphs with few enough paths; None when there are too many."""
    ways = {}
    for node in reversed(graph.order):
        ways[node] = sum(ways[a.target] for a in graph.out_of[node]) or 1
    if ways[graph.order[0]] > 3000:
        return None
    paths = list(graph.all_paths())
    best = max(sum(a.weight for a in p) for p in paths)
    chosen = [id(a) for a in graph.path_arcs()]
    assert best == graph.length() and chosen in [[id(a) for a in p] for p in paths]
    # Tie rule, restated: seen from the end, the path takes the earliest arc of the input it can.
    rank = {id(a): i for i, a in enumerate(graph.arcs)}
    ties = [p for p in paths if sum(a.weight for a in p) == best]
    assert chosen == [id(a) for a in min(ties, key=lambda p: [rank[id(a)] for a in reversed(p)])]
    return True


def check_vector(expected, graph):
    slack, tight = graph.slack(graph.literal_segments()), graph.slack(graph.tight_segments())
    path = graph.profile_of_path()
    found = {"length": graph.length(), "path": graph.path_nodes(), "critical_path_profile": path,
             "slack_literal": slack, "slack_exact": tight,
             "logical_zeroing": {p: graph.zeroing(p) for p in path},
             "logical_zeroing_on_path": {p: graph.zeroing_on_path(p) for p in path}}
    messages = []
    found["segments_literal"] = sorted(map(list, graph.literal_segments(messages)))
    found["forward_messages"] = messages
    for key, value in expected.items():
        if key in ("segments_literal", "forward_messages"):
            value, found[key] = sorted(value), sorted(found[key])
        assert found[key] == value, "%s: expected %s, found %s" % (key, value, found[key])


def check_spacetime(expected, graph):
    close = lambda a, b: abs(float(a) - float(b)) <= 1e-12
    assert expected["crit"] == {n: d for n, d in graph.distances().items() if n not in (ROOT, END)}
    for count, key in (("work", "work_only"), ("all", "all_activities")):
        want = expected[key]
        assert want["length"] == graph.length() and want["total"] == graph.work(count)
        assert close(want["average_parallelism"], graph.average_parallelism(count))
        assert want["profile_asap"] == graph.parallelism_profile(count)
        assert want["profile_alap"] == graph.parallelism_profile(count, latest=True)
        shape = {str(k): f for k, f in graph.shape(count).items()}
        assert shape.keys() == want["shape_asap"].keys()
        assert all(close(f, want["shape_asap"][k]) for k, f in shape.items())


def self_test(directory, graphs=1500):
    vectors = {}
    for number in ("01", "02", "03", "04"):
        vectors[number] = json.loads(next(Path(directory).glob(number + "_*.json")).read_text())
    check_vector(vectors["01"]["expected"], Graph.from_json(vectors["01"]["input"]))
    check_vector(vectors["02"]["expected"], Graph.from_json(vectors["02"]["input"]))
    for given, expected in zip(vectors["03"]["input"], vectors["03"]["expected"]):
        check_vector(expected, Graph.from_json(given))
    for given, expected in zip(vectors["04"]["input"], vectors["04"]["expected"]):
        check_spacetime(expected, Graph.from_event_trace(given))
    enumerated = 0
    for seed in range(graphs):
        rng = random.Random(seed)
        graph = Graph.from_json(random_graph_json(rng, fractions=seed % 5 == 0))
        check_properties(graph)
        enumerated += bool(brute_force_agrees(graph))
        check_properties(Graph.from_event_trace(random_event_trace_json(rng)))
    print("vectors 01-04 agree; %d random graphs hold, %d of them enumerated" % (graphs, enumerated))


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "--self-test":
        sys.exit("usage: pag.py --self-test DIR_OF_VECTORS")
    self_test(sys.argv[2])
