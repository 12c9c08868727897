# SPDX-License-Identifier: BSD-3-Clause
"""Writes small random, causally consistent OTF2 archives: input for comparing two implementations.

A random parallel program is acted out one action at a time.  Every thread has a clock of its own, in integer
ticks; an action appends events to the threads it involves, and an event that depends on another one is put
no earlier than that.  Durations are small and often 0, so that exact ties are frequent.

    python3 random_trace.py OUTPUT_DIR --seed S [--ranks R] [--threads T] [--steps N] [--features LIST]

Features: p2p nonblocking collective nbcollective lock forkjoin barrier createwait task ssend, and besides
context (CallingContextEnter/Leave/Sample in place of Enter/Leave) and skew (clocks of processes disagree).
"""
import argparse
import random

import otf2
from otf2 import GroupType, Paradigm, RegionRole

from random_mpi import Messages
from random_threads import Lock, Threads

FEATURES = "p2p nonblocking collective nbcollective lock forkjoin barrier createwait task ssend".split()
EXTRA = ["context", "skew"]
DURATIONS = (0, 0, 0, 1, 1, 2, 3, 5, 8)


class Thread:
    """A location to be: its clock, its events, what it has open."""

    def __init__(self, program, process, name, location):
        self.program, self.process, self.location, self.rng = program, process, location, program.rng
        self.index, self.name = len(process.threads), name
        process.threads.append(self)
        self.clock, self.events, self.stack = 0, [], []
        self.slowness = self.rng.choice((1, 1, 1, 4))
        self.active, self.pending, self.held, self.task, self.generation = False, [], [], None, 0

    def work(self):
        self.clock += self.rng.choice(DURATIONS) * self.slowness

    def pause(self):
        self.clock += self.rng.choice((0, 0, 1, 2))

    def until(self, time):
        if self.events:                               # before its first event a thread does not wait
            self.program.waited += max(0, time - self.clock)
        self.clock = max(self.clock, time)

    def event(self, kind, *arguments):
        self.events.append((kind, self.clock, arguments))
        return self.clock

    def enter(self, name, role=RegionRole.FUNCTION, paradigm=Paradigm.USER):
        self.stack.append(self.program.region(name, role, paradigm))
        self.event(*self.program.edge("enter", self.stack[-1]))
        return self.clock

    def leave(self):
        return self.event(*self.program.edge("leave", self.stack.pop()))

    def compute(self, depth=0):
        """Work in a function, or outside any; sometimes nested, sometimes sampled."""
        if self.rng.random() < 0.2:
            return self.work()
        self.enter("f%d" % self.rng.randrange(5))
        self.work()
        if depth < 2 and self.rng.random() < 0.4:
            self.compute(depth + 1)
        self.program.sample(self)
        self.work()
        self.leave()


class Process:
    def __init__(self, group, skew):
        self.group, self.skew, self.threads, self.team = group, skew, [], None
        self.locks = [Lock(i) for i in range(2)]
        self.sequence = 0

    @property
    def master(self):
        return self.threads[0]


class Program(Messages, Threads):
    def __init__(self, archive, seed, ranks, threads, features):
        self.archive, self.definitions, self.features = archive, archive.definitions, set(features)
        self.rng = random.Random(seed)
        self.channels, self.requests, self.regions = {}, 0, {}
        self.waited = 0                               # ticks that threads stood still for others
        rng, define = self.rng, self.definitions
        machine = define.system_tree_node("machine")
        self.processes = []
        for rank in range(ranks):
            group = define.location_group("rank %d" % rank, system_tree_parent=machine)
            process = Process(group, rng.randrange(30) if "skew" in self.features else 0)
            self.processes.append(process)
            extra = 2 if "createwait" in self.features else 0
            team = threads if self.features & {"forkjoin", "barrier", "task"} else 1
            for i in range(team + extra):
                name = "rank %d thread %d" % (rank, i)
                Thread(self, process, name, define.location(name, group=group))
            process.pool, process.crew = process.threads[team:], process.threads[:team]
        self.define_communicators()
        for process in self.processes:
            master = process.master
            master.clock, master.active = rng.choice((0, 0, 3, 10)), True
            if rng.random() < 0.8:
                master.enter("main")

    # ---- definitions -------------------------------------------------------------------------

    def define_communicators(self):
        define, rng = self.definitions, self.rng
        masters = [p.master.location for p in self.processes]

        def communicator(name, paradigm, members):
            group = define.group(name, GroupType.COMM_GROUP, paradigm, members=tuple(members))
            return define.comm(name, group=group)

        define.group("MPI", GroupType.COMM_LOCATIONS, Paradigm.MPI, members=tuple(masters))
        self.communicators = [(communicator("world", Paradigm.MPI, masters), self.processes)]
        for i in range(2):
            some = rng.sample(self.processes, rng.randint(1, len(self.processes)))     # any order of ranks
            locations = [p.master.location for p in some]
            self.communicators.append((communicator("sub %d" % i, Paradigm.MPI, locations), some))
        self_group = define.group("self", GroupType.COMM_SELF, Paradigm.MPI, members=())
        self.self_communicator = define.comm("self", group=self_group)
        crews = [t.location for p in self.processes for t in p.crew]
        pools = [t.location for p in self.processes for t in p.threads]
        define.group("OpenMP", GroupType.COMM_LOCATIONS, Paradigm.OPENMP, members=tuple(crews))
        define.group("pthread", GroupType.COMM_LOCATIONS, Paradigm.PTHREAD, members=tuple(pools))
        for rank, p in enumerate(self.processes):
            sizes = {len(p.crew), min(2, len(p.crew))}
            p.teams = [(communicator("team %d.%d" % (rank, n), Paradigm.OPENMP, [t.location for t in p.crew[:n]]),
                        p.crew[:n]) for n in sorted(sizes)]
            p.contingent = communicator("threads %d" % rank, Paradigm.PTHREAD, [t.location for t in p.threads])

    def region(self, name, role, paradigm):
        if name not in self.regions:
            region = self.definitions.region(name, region_role=role, paradigm=paradigm)
            context = self.definitions.calling_context(region=region, source_code_location=None, parent=None) \
                if "context" in self.features else None
            self.regions[name] = region, context
        return self.regions[name]

    def edge(self, what, region):
        if "context" in self.features:
            return ("calling_context_" + what, region[1]) + ((1,) if what == "enter" else ())
        return what, region[0]

    def sample(self, thread):
        if "context" in self.features and self.rng.random() < 0.5:
            generator = self.definitions.interrupt_generator("timer", period=1)
            name = "sampled%d" % self.rng.randrange(2)
            context = self.region(name, RegionRole.FUNCTION, Paradigm.USER)[1]
            thread.event("calling_context_sample", context, 1, generator)

    def write(self):
        for process in self.processes:
            for thread in process.threads:
                writer = self.archive.event_writer_from_location(thread.location)
                for kind, time, arguments in thread.events:
                    getattr(writer, kind)(1000 + time + process.skew, *arguments)

    # ---- choosing ----------------------------------------------------------------------------

    def run(self, steps):
        actions = [self.compute] * 3
        for feature, names in (("p2p", "send receive exchange"), ("nonblocking", "isend irecv burst wait wait"),
                               ("ssend", "ssend ssend irecv_for_ssend wait"), ("collective", "collective collective"),
                               ("nbcollective", "nbcollective wait"), ("lock", "lock hold release"),
                               ("forkjoin", "fork join"), ("barrier", "fork barrier barrier join"),
                               ("createwait", "create finish"), ("task", "fork task task taskwait help barrier join")):
            if feature in self.features:
                actions += [getattr(self, name) for name in names.split()]
        for _ in range(steps):
            self.rng.choice(actions)()
        self.finish_all()

    def active(self, process=None):
        return [t for p in ([process] if process else self.processes) for t in p.threads if t.active]

    def thread(self, process=None):
        return self.rng.choice(self.active(process))

    def new_request(self):
        self.requests += 1
        return self.requests

    def compute(self):
        self.thread().compute()

    # ---- the end -----------------------------------------------------------------------------

    def settle(self, thread):
        """Nothing may stay open on a thread that is about to end."""
        while thread.held:
            self.release(thread)
        self.wait(thread, everything=True)
        for channel in list(self.channels.values()):
            if channel.sender is thread:
                self.make_sent(channel, len(channel.posted) - 1)

    def finish_all(self):
        for process in self.processes:
            if process.team:
                self.join(process)
            for thread in process.pool:
                thread.active and self.finish(thread)
        for process in self.processes:
            self.settle(process.master)
        for process in self.processes:
            master = process.master
            master.work()
            while master.stack:
                master.leave()


def generate(directory, seed, ranks=3, threads=2, steps=40, features=FEATURES):
    with otf2.writer.open(str(directory), timer_resolution=10 ** 9) as archive:
        program = Program(archive, seed, ranks, threads, features)
        program.run(steps)
        program.write()
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--features", default=",".join(FEATURES))
    options = parser.parse_args()
    features = options.features.split(",")
    unknown = set(features) - set(FEATURES + EXTRA)
    if unknown:
        parser.error("unknown feature: " + ", ".join(sorted(unknown)))
    generate(options.output, options.seed, options.ranks, options.threads, options.steps, features)


if __name__ == "__main__":
    main()
