# SPDX-License-Identifier: BSD-3-Clause
"""From an OTF2 archive to a program activity graph, the plain way, for comparison with longpole.

Every location is walked once and yields charges (time -> region) and points (sync points in program
order).  Then points are matched with their causes on other locations.  Last, each location becomes
a chain of nodes: a point with causes is a *merge*, at max(start, min(awaited, event)), where
  start   = the latest of: last Enter or Leave of the location, previous sync point, first event;
  awaited = the time of the last cause.
start..merge is waiting.  A point without causes on other locations is a plain node at its event.
Times are integer ticks since the earliest event.  Rules: CONTRACT, "From a trace to an execution".

    python3 otf2_graph.py ARCHIVE [--no-tight]     prints the path and parallelism results as JSON
"""
import json
import sys
from collections import defaultdict
from pathlib import Path

import otf2
from otf2 import CollectiveOp, GroupType, LocationType, Paradigm, RegionRole

from pag import Graph

OUTSIDE = "(outside any region)"
TO_ROOT = {CollectiveOp.GATHER, CollectiveOp.GATHERV, CollectiveOp.REDUCE}
FROM_ROOT = {CollectiveOp.BCAST, CollectiveOp.SCATTER, CollectiveOp.SCATTERV}
PLAIN = {CollectiveOp.SCAN, CollectiveOp.EXSCAN}


class Point:
    """A sync point: `index` is its place among the location's events, `edge` the last Enter or Leave before
    it, `causes` the plain points elsewhere it waits for.  Without causes it is a plain node at its time or,
    with `optional`, nothing at all (a receive that found no send bounds no other wait).
    `full`: the whole stretch before it is waiting."""

    def __init__(self, walk, index, time, edge):
        self.location, self.index, self.time, self.edge = walk.order, index, time, edge
        self.process, self.causes, self.node = walk.process, [], None
        self.optional = self.full = False

    def wait_for(self, causes):
        self.causes += [c for c in causes if c.location != self.location]

    def key(self):
        return (self.time, self.location, self.index)


class Frame:
    """An open region: where it was entered, by which task, and what is due at its Leave."""

    def __init__(self, region, index, time, task):
        self.region, self.index, self.time, self.task = region, index, time, task
        self.synchronous_sends, self.barrier = [], None


class Call:
    """One member's part in a collective or barrier."""

    def __init__(self, arrival, completion=None, event=None):
        self.arrival, self.completion, self.event = arrival, completion, event


class Matches:
    """What the walks leave for matching, keyed by what belongs together."""

    def __init__(self):
        for table in ("sends receives requests calls nonblocking barriers acquires releases "
                      "threads_created threads_begun threads_ended threads_awaited "
                      "forks team_begins team_ends joins "
                      "tasks_created task_switches tasks_completed").split():
            setattr(self, table, defaultdict(list))
        self.task_waits, self.unmatched, self.explicit_tasks = [], 0, set()


class Walk:
    """One location, first event to last."""

    def __init__(self, order, location, events, matches):
        self.order, self.location, self.matches = order, location, matches
        self.process = location.group._ref
        self.begin, self.end = events[0][0], events[-1][0]
        self.stack, self.points, self.charges = [], [], []
        self.index, self.now, self.edge = -1, self.begin, self.begin
        self.collectives, self.pending_fork, self.open_forks, self.teams = [], None, [], []
        self.team_count, self.barrier_count = defaultdict(int), defaultdict(int)
        self.task, self.outer_tasks, self.children = ("implicit", order, 0), [], defaultdict(list)
        for time, event in events:
            self.step(time, event)

    def step(self, time, event):
        self.index += 1
        name = self.stack[-1].region.name if self.stack else OUTSIDE
        if type(event).__name__ == "CallingContextSample" and not self.in_library():
            name = event.calling_context.region.name
        if time > self.now:
            self.charges.append((self.now, time, name))
        self.now = time
        getattr(self, type(event).__name__, lambda event: None)(event)

    def in_library(self):
        """Inside a call of MPI, OpenMP, pthreads...: what a sample finds there is the library's own affair."""
        own = (otf2.Paradigm.UNKNOWN, otf2.Paradigm.USER, otf2.Paradigm.COMPILER, otf2.Paradigm.SAMPLING,
               otf2.Paradigm.NONE)
        return bool(self.stack) and self.stack[-1].region.paradigm not in own

    def here(self):
        return Point(self, self.index, self.now, self.edge)

    def point(self):
        self.points.append(self.here())
        return self.points[-1]

    def merge(self):
        """A point that matters only if it has to wait for another location."""
        self.point().optional = True
        return self.points[-1]

    def entered(self):
        """A plain point at the Enter of the innermost region, or here if none is open."""
        frame = self.stack[-1] if self.stack else None
        return Point(self, frame.index, frame.time, frame.time) if frame else self.here()

    def point_at_enter(self):
        self.points.append(self.entered())
        return self.points[-1]

    # ---- regions -----------------------------------------------------------------------------

    def Enter(self, event):
        self.enter(event.region)

    def CallingContextEnter(self, event):
        self.enter(event.calling_context.region)

    def Leave(self, event):
        self.leave()

    CallingContextLeave = Leave

    def enter(self, region):
        self.stack.append(Frame(region, self.index, self.now, self.task))
        self.edge = self.now
        if is_barrier(region) and self.teams:
            team = self.teams[-1][0]
            self.barrier_count[team] += 1
            call = self.stack[-1].barrier = Call(self.point_at_enter())
            self.matches.barriers[team, self.barrier_count[team]].append(call)

    def leave(self):
        if not self.stack:
            return
        frame = self.stack[-1]
        for send in frame.synchronous_sends:
            send.merge = self.merge()
        if frame.barrier:
            frame.barrier.completion = self.merge()
        if frame.region.region_role == RegionRole.TASK_WAIT:
            self.matches.task_waits.append((self.merge(), self.children.pop(self.task, [])))
        self.stack.pop()
        self.edge = self.now

    # ---- messages ----------------------------------------------------------------------------

    def MpiSend(self, event):
        send = self.send(event)
        if self.stack and ("Ssend" in self.stack[-1].region.name or "ssend" in self.stack[-1].region.name):
            self.stack[-1].synchronous_sends.append(send)

    def MpiIsend(self, event):
        self.send(event)

    def send(self, event):
        send = self.point()
        send.merge = None                             # where a synchronous send waits for its receive
        receiver = self.peer(event.communicator, event.receiver)
        self.matches.sends[event.communicator._ref, self.process, receiver, event.msg_tag].append(send)
        return send

    def MpiIrecvRequest(self, event):               # a node only if a synchronous send waits for it
        self.matches.requests["receive", self.process, event.request_id].append(self.here())

    def MpiRecv(self, event):
        self.receive(event, self.entered())

    def MpiIrecv(self, event):
        self.receive(event, None)

    def receive(self, event, posted):
        sender = self.peer(event.communicator, event.sender)
        key = event.communicator._ref, sender, self.process, event.msg_tag
        self.matches.receives[key].append((posted, self.merge(), self, event))

    def request(self, kind, event, done):
        """Where the completed request was made: its last use before, on this location or else in the process."""
        made = self.matches.requests[kind, self.process, event.request_id]
        here = [p for p in made if p.location == done.location and p.index < done.index]
        return max(here or made, key=Point.key, default=None)

    def peer(self, communicator, rank):
        """The process behind a rank."""
        if isinstance(communicator, otf2.definitions.InterComm):
            groups = communicator.groupA.members, communicator.groupB.members
            mine = self.process in [m.group._ref for m in groups[0]]
            return groups[1 if mine else 0][rank].group._ref
        if communicator.group.group_type == GroupType.COMM_SELF:
            return self.process
        return communicator.location(rank).group._ref

    # ---- collectives -------------------------------------------------------------------------

    def MpiCollectiveBegin(self, event):
        self.collectives.append(self.point_at_enter())

    def MpiCollectiveEnd(self, event):
        arrival = self.collectives.pop() if self.collectives else self.point_at_enter()
        self.matches.calls[event.communicator._ref, self.process].append(
            Call(arrival, self.merge(), event))

    def NonBlockingCollectiveRequest(self, event):
        self.matches.requests["collective", self.process, event.request_id].append(self.point())

    def NonBlockingCollectiveComplete(self, event):
        self.matches.nonblocking[event.communicator._ref, self.process].append(
            (self, Call(None, self.merge(), event)))

    # ---- locks, threads ----------------------------------------------------------------------

    def ThreadAcquireLock(self, event, model=None):
        lock = self.process, str(model or event.model), event.lock_id
        self.matches.acquires[lock].append((event.acquisition_order, self.merge()))

    def ThreadReleaseLock(self, event, model=None):
        lock = self.process, str(model or event.model), event.lock_id
        self.matches.releases[lock].append((event.acquisition_order, self.point()))

    def OmpAcquireLock(self, event):
        self.ThreadAcquireLock(event, Paradigm.OPENMP)

    def OmpReleaseLock(self, event):
        self.ThreadReleaseLock(event, Paradigm.OPENMP)

    def ThreadCreate(self, event):
        self.matches.threads_created[thread_of(event)].append(self.point())

    def ThreadBegin(self, event):
        self.matches.threads_begun[thread_of(event)].append(self.merge())

    def ThreadEnd(self, event):
        self.matches.threads_ended[thread_of(event)].append(self.point())

    def ThreadWait(self, event):
        self.matches.threads_awaited[thread_of(event)].append(self.merge())

    # ---- teams -------------------------------------------------------------------------------

    def ThreadFork(self, event):
        self.pending_fork = self.point()

    def ThreadTeamBegin(self, event):
        team = event.thread_team._ref
        self.team_count[team] += 1
        instance = team, self.team_count[team]
        self.teams.append(instance)
        self.outer_tasks.append(self.task)
        self.task = ("implicit", self.order, instance)
        if self.pending_fork:
            self.point()
            self.matches.forks[instance].append(self.pending_fork)
            self.open_forks.append(instance)
            self.pending_fork = None
        else:
            self.matches.team_begins[instance].append(self.merge())

    def ThreadTeamEnd(self, event):
        if self.teams:
            self.matches.team_ends[self.teams.pop()].append(self.point())
            self.task = self.outer_tasks.pop()

    def ThreadJoin(self, event):
        if self.open_forks:
            self.matches.joins[self.open_forks.pop()].append(self.merge())

    # ---- tasks -------------------------------------------------------------------------------

    def ThreadTaskCreate(self, event):
        self.children[self.task].append(task_of(event))
        self.matches.tasks_created[task_of(event)].append(self.point())

    def ThreadTaskSwitch(self, event):
        frame = self.stack[-1] if self.stack else None
        switch = self.point()
        switch.full = bool(frame and frame.task == self.task and (
            is_barrier(frame.region) or frame.region.region_role == RegionRole.TASK_WAIT))
        self.matches.task_switches[task_of(event)].append(switch)
        implicit = ("implicit", self.order, self.teams[-1] if self.teams else 0)
        self.task = task_of(event) if task_of(event) in self.matches.explicit_tasks else implicit

    def ThreadTaskComplete(self, event):
        self.matches.tasks_completed[task_of(event)].append(self.point())


def is_barrier(region):
    return region.paradigm == Paradigm.OPENMP and \
        region.region_role in (RegionRole.BARRIER, RegionRole.IMPLICIT_BARRIER)


def thread_of(event):
    return event.thread_contingent._ref, event.sequence_count


def task_of(event):
    return event.thread_team._ref, event.creating_thread, event.generation_number


# ---- matching: who waits for whom ------------------------------------------------------------------

def match_messages(matches):
    for key in set(matches.sends) | set(matches.receives):
        sends = sorted(matches.sends.get(key, []), key=Point.key)
        receives = [(posted or walk.request("receive", event, done) or done, done, walk)
                    for posted, done, walk, event in matches.receives.get(key, [])]
        receives.sort(key=lambda r: (r[0].key(), r[1].key()))      # in the order of posting
        matches.unmatched += abs(len(sends) - len(receives))
        for send, (posted, done, walk) in zip(sends, receives):
            done.wait_for([send])
            if send.merge and posted is not done and posted.location != send.location:
                walk.points.append(posted)
                send.merge.wait_for([posted])


def synchronise(calls, kind, root=None):
    """All members of one instance; `calls` in the order of their locations' definitions."""
    if kind == "all":
        last = max(calls, key=lambda c: c.arrival.time)          # the first of equals
        sources, waiting = [last], [c for c in calls if c is not last]
    else:
        at_root = [c for c in calls if c.arrival.process == root]
        others = [c for c in calls if c.arrival.process != root]
        sources, waiting = (at_root, others) if kind == "from root" else (others, at_root)
    for call in waiting:
        if call.completion:
            call.completion.wait_for([c.arrival for c in sources])


def match_collectives(matches, definitions):
    nonblocking = defaultdict(list)
    for key, calls in matches.nonblocking.items():
        for walk, call in calls:
            call.arrival = walk.request("collective", call.event, call.completion)
            if call.arrival:
                nonblocking[key].append(call)
    for table in (matches.calls, nonblocking):
        instances = defaultdict(list)
        for (communicator, process), calls in table.items():
            for number, call in enumerate(sorted(calls, key=lambda c: c.arrival.key())):
                instances[communicator, number].append(call)
        for (communicator, number), calls in instances.items():
            comm, operation = definitions.comms[communicator], calls[0].event.collective_op
            if isinstance(comm, otf2.definitions.InterComm) or operation in PLAIN \
                    or comm.group.group_type == GroupType.COMM_SELF:
                continue
            calls.sort(key=lambda c: c.arrival.location)
            if operation in TO_ROOT or operation in FROM_ROOT:
                root = comm.location(calls[0].event.root).group._ref
                synchronise(calls, "to root" if operation in TO_ROOT else "from root", root)
            else:
                synchronise(calls, "all")
    for calls in matches.barriers.values():
        synchronise(sorted(calls, key=lambda c: c.arrival.location), "all")


def match_threads_and_locks(matches):
    for lock, acquires in matches.acquires.items():
        for order, acquire in acquires:
            earlier = [r for r in matches.releases[lock] if r[0] < order]
            if earlier:
                acquire.wait_for([max(earlier, key=lambda r: r[0])[1]])
    for causes, effects in ((matches.threads_created, matches.threads_begun),
                            (matches.threads_ended, matches.threads_awaited),
                            (matches.forks, matches.team_begins),
                            (matches.team_ends, matches.joins)):
        for key, points in effects.items():
            for point in points:
                point.wait_for(causes.get(key, []))


def match_tasks(matches):
    for task, switches in matches.task_switches.items():
        min(switches, key=Point.key).wait_for(matches.tasks_created.get(task, []))
    for wait, children in matches.task_waits:
        wait.wait_for([done for child in children for done in matches.tasks_completed.get(child, [])])


# ---- chains ----------------------------------------------------------------------------------------

class Execution:
    """The graph and what was learnt on the way."""

    def __init__(self, archive):
        self.nodes, self.local, self.cross = [], [], []
        self.waiting = self.violations = self.violation_time = 0
        locations, events, definitions = read(archive)
        self.ticks_per_second = definitions.clock_properties.timer_resolution
        matches = Matches()
        matches.explicit_tasks = {task_of(event) for stream in events.values() for _, event in stream
                                  if isinstance(event, otf2.events.ThreadTaskCreate)}
        walks = [Walk(i, location, events[location._ref], matches) for i, location in enumerate(locations)]
        match_messages(matches)
        match_collectives(matches, definitions)
        match_threads_and_locks(matches)
        match_tasks(matches)
        self.unmatched = matches.unmatched
        self.wall = max((w.end for w in walks), default=0)
        for walk in walks:
            self.chain(walk)
        for walk in walks:
            for point in walk.points:
                for cause in sorted(point.causes, key=lambda c: (c.location, c.index)):
                    self.cross.append((cause.node, point.node, 0))
        self.graph = Graph(self.nodes, self.local, self.cross)

    def node(self, walk):
        self.nodes.append((len(self.nodes), walk.order))
        return self.nodes[-1][0]

    def extend(self, walk, node, begin, end, useful):
        """Arcs for what the location did from begin to end; returns the last node."""
        for t0, t1, region in walk.charges:
            t0, t1 = max(t0, begin), min(t1, end)
            if t0 < t1:
                self.local.append((node, self.node(walk), region, t1 - t0, useful))
                node = self.nodes[-1][0]
        return node

    def chain(self, walk):
        previous, node = walk.begin, self.node(walk)
        for point in sorted(walk.points, key=lambda p: p.index):      # an arrival stands at its Enter
            if point.optional and not point.causes:
                continue
            start = at = point.time
            if point.causes or point.full:
                awaited = max((c.time for c in point.causes), default=point.time)
                start = max(previous, point.edge)
                at = point.time if point.full else max(start, min(awaited, point.time))
                self.waiting += at - start
                if awaited > point.time:
                    self.violations += 1
                    self.violation_time += awaited - point.time
            node = self.extend(walk, node, previous, start, True)
            node = self.extend(walk, node, start, at, False)
            point.node, previous = self.node(walk), at
            self.local.append((node, point.node, OUTSIDE, 0, False))  # a node of its own, whatever the times
            node = point.node
        self.extend(walk, node, previous, walk.end, True)

    def result(self, tight=True):
        graph = self.graph
        return {"length": graph.length(), "wall": self.wall,
                "procedures": [row for row in graph.table(tight) if row["total"]],
                "work": graph.work(), "average": float(graph.average_parallelism()),
                "maximum": graph.maximum_parallelism(), "waiting_total": self.waiting,
                "violations": self.violations, "violation_time": self.violation_time,
                "unmatched": self.unmatched, "ticks_per_second": self.ticks_per_second}


def read(archive):
    """Processors with events in the order of their definitions; their events, clamped, from 0; definitions."""
    path = Path(archive)
    anchor = next(iter(sorted(path.glob("*.otf2")))) if path.is_dir() else path
    with otf2.reader.open(str(anchor)) as trace:
        kinds = (LocationType.CPU_THREAD, LocationType.ACCELERATOR_STREAM)
        locations = [l for l in trace.definitions.locations if l.type in kinds]
        events = {l._ref: [] for l in locations}
        for location, event in trace.events:
            if location._ref in events:
                stream = events[location._ref]
                stream.append((max(event.time, stream[-1][0] if stream else event.time), event))
        first = min((stream[0][0] for stream in events.values() if stream), default=0)
        events = {ref: [(t - first, e) for t, e in stream] for ref, stream in events.items()}
        return [l for l in locations if events[l._ref]], events, trace.definitions


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--no-tight"]
    if len(arguments) != 1:
        sys.exit("usage: otf2_graph.py ARCHIVE [--no-tight]")
    print(json.dumps(Execution(arguments[0]).result(tight="--no-tight" not in sys.argv), indent=1))
