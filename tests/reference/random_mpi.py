# SPDX-License-Identifier: BSD-3-Clause
"""The MPI part of a random program (random_trace.py): messages and collectives, blocking and not."""
import otf2
from otf2 import CollectiveOp, Paradigm, RegionRole

ALL_TO_ALL = ("BARRIER ALLGATHER ALLGATHERV ALLTOALL ALLTOALLV ALLTOALLW ALLREDUCE REDUCE_SCATTER "
              "REDUCE_SCATTER_BLOCK CREATE_HANDLE DESTROY_HANDLE ALLOCATE").split()
TO_ROOT, FROM_ROOT, PLAIN = ["GATHER", "GATHERV", "REDUCE"], ["BCAST", "SCATTER", "SCATTERV"], ["SCAN", "EXSCAN"]


class Channel:
    """Messages between two threads with one tag: the n-th sent meets the n-th posted."""

    def __init__(self, communicator, ranks, sender, receiver, tag):
        self.communicator, self.ranks, self.tag = communicator, ranks, tag
        self.sender, self.receiver = sender, receiver
        self.sent, self.posted = [], []


class Messages:
    """Actions of a Program; every one appends complete, causally consistent events."""

    # ---- messages ----------------------------------------------------------------------------

    def channel(self, synchronous=False, sender=None, receiver=None):
        communicator, members = self.rng.choice(self.communicators)
        inside = [t for p in members for t in self.active(p)]
        sender, receiver = sender or self.rng.choice(inside), receiver or self.rng.choice(inside)
        if sender.process not in members or receiver.process not in members:
            communicator, members = self.communicators[0]
        tag = (sender.index * 10 + receiver.index) * 10 + (5 if synchronous else self.rng.randrange(2))
        key = communicator._ref, sender, receiver, tag
        if key not in self.channels:
            ranks = members.index(sender.process), members.index(receiver.process)
            self.channels[key] = Channel(communicator, ranks, sender, receiver, tag)
        return self.channels[key]

    def send_event(self, channel, kind="mpi_send", *request):
        message = channel.ranks[1], channel.communicator, channel.tag, 8
        channel.sent.append(channel.sender.event(kind, *message, *request))

    def send(self, channel=None):
        channel = channel or self.channel()
        sender = channel.sender
        sender.enter("MPI_Send", RegionRole.POINT2POINT, Paradigm.MPI)
        sender.pause()
        self.send_event(channel)
        sender.pause()
        sender.leave()

    def isend(self):
        channel = self.channel()
        sender, request = channel.sender, self.new_request()
        sender.enter("MPI_Isend", RegionRole.POINT2POINT, Paradigm.MPI)
        self.send_event(channel, "mpi_isend", request)
        sender.pause()
        sender.leave()
        sender.pending.append(("isend", request, None, None))

    def irecv(self, channel=None):
        channel = channel or self.channel()
        receiver, request = channel.receiver, self.new_request()
        receiver.enter("MPI_Irecv", RegionRole.POINT2POINT, Paradigm.MPI)
        receiver.pause()
        channel.posted.append(receiver.event("mpi_irecv_request", request))
        receiver.pause()
        receiver.leave()
        receiver.pending.append(("irecv", request, channel, len(channel.posted) - 1))

    def irecv_for_ssend(self):
        self.irecv(self.channel(synchronous=True))

    def burst(self):
        """Several messages of one channel under way at once, completed in any order."""
        channel = self.channel()
        for _ in range(self.rng.randint(2, 3)):
            self.irecv(channel)
            channel.sender.work()
            self.rng.random() < 0.5 and self.send(channel)
        self.wait(channel.receiver)

    def make_sent(self, channel, number):
        """All sends up to the one with this number exist after this."""
        while len(channel.sent) <= number:
            if channel.tag % 10 == 5:
                self.ssend(channel)
            else:
                self.send(channel)

    def receive_event(self, channel, number):
        channel.receiver.until(channel.sent[number])
        channel.receiver.pause()
        channel.receiver.event("mpi_recv", channel.ranks[0], channel.communicator, channel.tag, 8)

    def receive(self):
        channel = self.channel()
        number, receiver = len(channel.posted), channel.receiver
        self.make_sent(channel, number)
        channel.posted.append(receiver.enter("MPI_Recv", RegionRole.POINT2POINT, Paradigm.MPI))
        self.receive_event(channel, number)
        receiver.pause()
        receiver.leave()

    def exchange(self):
        """Two threads in MPI_Sendrecv with each other."""
        there = self.channel()
        if there.sender is there.receiver:
            return
        back = self.channel(sender=there.receiver, receiver=there.sender)
        for channel in (there, back):
            self.make_sent(channel, len(channel.posted) - 1)           # ours must be next on both sides
            if len(channel.sent) > len(channel.posted):
                return
        for channel in (there, back):
            channel.posted.append(channel.sender.enter("MPI_Sendrecv", RegionRole.POINT2POINT, Paradigm.MPI))
            channel.sender.pause()
            self.send_event(channel)
        for channel in (there, back):
            self.receive_event(channel, len(channel.sent) - 1)
            channel.receiver.leave()

    def ssend(self, channel=None):
        """A synchronous send: ends no earlier than its receive was posted."""
        channel = channel or self.channel(synchronous=True)
        sender, receiver, number = channel.sender, channel.receiver, len(channel.sent)
        if number >= len(channel.posted) and sender is receiver:
            return
        met = number >= len(channel.posted)                            # a blocking receive made for it
        if met:
            channel.posted.append(receiver.enter("MPI_Recv", RegionRole.POINT2POINT, Paradigm.MPI))
        sender.enter("MPI_Ssend", RegionRole.POINT2POINT, Paradigm.MPI)
        sender.pause()
        self.send_event(channel)
        sender.until(channel.posted[number])
        sender.pause()
        sender.leave()
        if met:
            self.receive_event(channel, number)
            receiver.leave()

    def wait(self, thread=None, everything=False):
        """MPI_Waitall and its kin: some requests, completed in any order, at once or one by one."""
        waiting = [t for t in self.active() if t.pending]
        thread = thread or (self.rng.choice(waiting) if waiting else None)
        if not thread or not thread.pending:
            return
        many = len(thread.pending) if everything else self.rng.randint(1, len(thread.pending))
        chosen = self.rng.sample(thread.pending, many)
        for kind, request, channel, number in chosen:
            if kind == "irecv":
                self.make_sent(channel, number)
        name = self.rng.choice(("MPI_Waitall", "MPI_Waitsome") if len(chosen) > 1 else
                               ("MPI_Wait", "MPI_Waitany", "MPI_Test"))
        thread.enter(name, RegionRole.POINT2POINT, Paradigm.MPI)
        ready = {"isend": lambda c, n: 0, "irecv": lambda c, n: c.sent[n], "collective": lambda c, n: c[0](thread)}
        together = self.rng.random() < 0.5
        if together:
            thread.until(max(ready[kind](c, n) for kind, _, c, n in chosen))
        for kind, request, channel, number in chosen:
            if not together:
                thread.until(ready[kind](channel, number))
                thread.pause()
            if kind == "isend":
                thread.event("mpi_isend_complete", request)
            elif kind == "irecv":
                thread.event("mpi_irecv", channel.ranks[0], channel.communicator, channel.tag, 8, request)
            else:
                thread.event("non_blocking_collective_complete", *channel[1], request)
        thread.pause()
        thread.leave()
        thread.pending = [p for p in thread.pending if p not in chosen]

    # ---- collectives -------------------------------------------------------------------------

    def operation(self, members):
        name = self.rng.choice(ALL_TO_ALL + TO_ROOT * 3 + FROM_ROOT * 3 + PLAIN)
        rooted = name in TO_ROOT + FROM_ROOT
        root = self.rng.randrange(len(members))
        return name, root, root if rooted else otf2.CollectiveRoot.NONE.value

    def ready(self, name, root, members, arrived, process):
        """When a member may leave: `arrived` is process -> arrival."""
        everyone = list(arrived.values())
        if name in TO_ROOT:
            return max(everyone) if process is members[root] else 0
        if name in FROM_ROOT:
            return arrived[members[root]]
        if name in PLAIN:
            return max(arrived[p] for p in members[:members.index(process) + 1])
        return max(everyone)

    def collective(self):
        if self.rng.random() < 0.1:
            return self.alone()
        communicator, members = self.rng.choice(self.communicators)
        name, root, recorded = self.operation(members)
        arrived, bare = {}, {p for p in members if not p.master.stack and self.rng.random() < 0.5}
        for process in members:
            master = process.master
            if process not in bare:
                master.enter("MPI_" + name.capitalize(), RegionRole.COLL_OTHER, Paradigm.MPI)
                master.pause()
            arrived[process] = master.event("mpi_collective_begin")
        for process in members:
            master = process.master
            if self.rng.random() < 0.1:                                # something else inside the call
                master.compute()
            master.until(self.ready(name, root, members, arrived, process))
            master.pause()
            master.event("mpi_collective_end", getattr(CollectiveOp, name), communicator, recorded, 8, 8)
            if process not in bare:
                master.pause()
                master.leave()

    def alone(self):
        """A barrier on the communicator every process has for itself."""
        master = self.rng.choice(self.processes).master
        master.enter("MPI_Barrier", RegionRole.BARRIER, Paradigm.MPI)
        master.event("mpi_collective_begin")
        master.pause()
        master.event("mpi_collective_end", CollectiveOp.BARRIER, self.self_communicator,
                     otf2.CollectiveRoot.NONE.value, 8, 8)
        master.leave()

    def nbcollective(self):
        communicator, members = self.rng.choice(self.communicators)
        name, root, recorded = self.operation(members)
        arrived = {}
        for process in members:
            master, request = process.master, self.new_request()
            master.enter("MPI_I" + name.lower(), RegionRole.COLL_OTHER, Paradigm.MPI)
            master.pause()
            arrived[process] = master.event("non_blocking_collective_request", request)
            master.pause()
            master.leave()
            leave = lambda thread: self.ready(name, root, members, arrived, thread.process)
            end = getattr(CollectiveOp, name), communicator, recorded, 8, 8
            master.pending.append(("collective", request, (leave, end), None))
