# SPDX-License-Identifier: BSD-3-Clause
"""The shared-memory part of a random program (random_trace.py): locks, OpenMP teams and tasks, pthreads."""
from otf2 import Paradigm, RegionRole


class Lock:
    def __init__(self, number):
        self.number, self.order, self.free, self.holder = number, 0, 0, None


class Team:
    """An open OpenMP team and its tasks that nobody has executed yet."""

    def __init__(self, comm, members):
        self.comm, self.members, self.tasks = comm, members, []
        self.children = {}                            # (thread, its task) -> children since its last taskwait


class Task:
    def __init__(self, team, creator, created):
        self.team, self.creator, self.created, self.done = team, creator, created, None
        creator.generation += 1
        self.key = team.comm, team.members.index(creator), creator.generation


class Threads:
    """Actions of a Program; every one appends complete, causally consistent events."""

    # ---- locks -------------------------------------------------------------------------------

    def acquire(self, thread, lock):
        lock.holder, lock.order = thread, lock.order + 1
        thread.until(lock.free)
        thread.pause()
        thread.event("thread_acquire_lock", Paradigm.PTHREAD, lock.number, lock.order)

    def let_go(self, thread, lock):
        lock.free, lock.holder = thread.event("thread_release_lock", Paradigm.PTHREAD, lock.number, lock.order), None

    def free_lock(self, process):
        return self.rng.choice([l for l in process.locks if not l.holder] or [None])

    def lock(self, thread=None):
        """A critical section: in a region of its own, or in the middle of other code."""
        thread = thread or self.thread()
        lock = self.free_lock(thread.process)
        if lock:
            bare = self.rng.random() < 0.2
            bare or thread.enter("critical", RegionRole.CRITICAL, Paradigm.OPENMP)
            self.acquire(thread, lock)
            thread.work() if self.rng.random() < 0.3 else thread.compute()
            self.let_go(thread, lock)
            bare or thread.leave()

    def hold(self):
        thread = self.thread()
        lock = self.free_lock(thread.process)
        if lock:
            thread.enter("pthread_mutex_lock", RegionRole.FUNCTION, Paradigm.PTHREAD)
            self.acquire(thread, lock)
            thread.pause()
            thread.leave()
            thread.held.append(lock)

    def release(self, thread=None):
        holders = [t for t in self.active() if t.held]
        thread = thread or (self.rng.choice(holders) if holders else None)
        if thread and thread.held:
            lock = thread.held.pop(self.rng.randrange(len(thread.held)))
            thread.enter("pthread_mutex_unlock", RegionRole.FUNCTION, Paradigm.PTHREAD)
            self.let_go(thread, lock)
            thread.leave()

    # ---- OpenMP ------------------------------------------------------------------------------

    def team(self):
        teams = [p.team for p in self.processes if p.team]
        return self.rng.choice(teams) if teams else None

    def fork(self):
        process = self.rng.choice(self.processes)
        if process.team:
            return
        communicator, members = self.rng.choice(process.teams)
        process.team = Team(communicator, members)
        master = process.master
        early = process.team.early = self.rng.random() < 0.5           # the region opens before the fork
        early and master.enter("!$omp parallel", RegionRole.PARALLEL, Paradigm.OPENMP)
        master.pause()
        forked = master.event("thread_fork", Paradigm.OPENMP, len(members))
        for thread in members:
            thread.until(forked)
            thread.pause()
            thread.active = True
            thread.event("thread_team_begin", communicator)
            if not (early and thread is master):
                thread.enter("!$omp parallel", RegionRole.PARALLEL, Paradigm.OPENMP)

    def join(self, process=None):
        team = process.team if process else self.team()
        if not team:
            return
        master, ends = team.members[0], []
        for thread in team.members:
            self.settle(thread)
        if team.tasks or ("barrier" in self.features and self.rng.random() < 0.8):
            self.barrier(team, "!$omp implicit barrier", RegionRole.IMPLICIT_BARRIER)
        for thread in team.members:
            if not (team.early and thread is master):
                thread.leave()
            thread.pause()
            ends.append(thread.event("thread_team_end", team.comm))
            thread.active = thread is master
        master.until(max(ends))
        master.pause()
        master.event("thread_join", Paradigm.OPENMP)
        team.early and master.leave()
        master.process.team = None

    def barrier(self, team=None, name="!$omp barrier", role=RegionRole.BARRIER):
        team = team or self.team()
        if not team:
            return
        entered = [t.enter(name, role, Paradigm.OPENMP) for t in team.members]
        done = []
        while team.tasks:                                              # a barrier completes all tasks
            task = team.tasks.pop(self.rng.randrange(len(team.tasks)))
            done.append(self.execute(self.rng.choice(team.members), task))
        for thread in team.members:
            thread.until(max(entered + done))
            thread.pause()
            thread.leave()

    def task(self, thread=None, team=None):
        team = team or self.team()
        if not team:
            return
        thread = thread or self.rng.choice(team.members)
        thread.enter("!$omp create task", RegionRole.TASK_CREATE, Paradigm.OPENMP)
        thread.pause()
        task = Task(team, thread, thread.clock)
        thread.event("thread_task_create", *task.key)
        thread.pause()
        thread.leave()
        team.tasks.append(task)
        team.children.setdefault((thread, thread.task), []).append(task)

    def execute(self, thread, task, depth=0):
        """Switch to the task, run it, switch back; returns when it was complete."""
        outer = thread.task
        thread.until(task.created)
        thread.pause()
        thread.event("thread_task_switch", *task.key)
        thread.task = task
        thread.enter("!$omp task", RegionRole.TASK, Paradigm.OPENMP)
        thread.work()
        if depth < 2 and self.rng.random() < 0.3:
            self.task(thread, task.team)
            self.rng.random() < 0.5 and self.taskwait(thread, task.team, depth + 1)
        if "lock" in self.features and self.rng.random() < 0.3:
            self.lock(thread)
        thread.work()
        thread.leave()
        task.done = thread.event("thread_task_complete", *task.key)
        implicit = task.team.comm, task.team.members.index(thread), 0
        thread.event("thread_task_switch", *(outer.key if outer else implicit))
        thread.task = outer
        return task.done

    def taskwait(self, thread=None, team=None, depth=0):
        """The thread waits for the children of its task; it or others execute those that are left."""
        team = team or self.team()
        if not team:
            return
        thread = thread or self.rng.choice(team.members)
        children = team.children.pop((thread, thread.task), [])
        open_children = [c for c in children if c in team.tasks]
        team.tasks = [t for t in team.tasks if t not in open_children]
        idle = [t for t in team.members if t is not thread and not t.task]
        for child in list(open_children):                              # some are done elsewhere, in plain code
            if idle and self.rng.random() < 0.5:
                open_children.remove(child)
                self.execute(self.rng.choice(idle), child, depth + 1)
        thread.enter("!$omp taskwait", RegionRole.TASK_WAIT, Paradigm.OPENMP)
        for child in open_children:
            self.execute(thread, child, depth + 1)
        thread.until(max([c.done for c in children], default=0))
        thread.pause()
        thread.leave()

    def help(self):
        """Somebody executes a task that is left, in the middle of other code."""
        team = self.team()
        if team and team.tasks:
            self.execute(self.rng.choice(team.members), team.tasks.pop(0))

    # ---- pthreads ----------------------------------------------------------------------------

    def create(self):
        creator = self.thread()
        process = creator.process
        free = [t for t in process.pool if not t.active]
        if not free:
            return
        thread = self.rng.choice(free)
        process.sequence += 1
        creator.enter("pthread_create", RegionRole.THREAD_CREATE, Paradigm.PTHREAD)
        creator.pause()
        created = creator.event("thread_create", process.contingent, process.sequence)
        creator.pause()
        creator.leave()
        thread.until(created)
        thread.pause()
        thread.active, thread.sequence = True, process.sequence
        thread.event("thread_begin", process.contingent, thread.sequence)
        thread.enter("start_routine")

    def finish(self, thread=None):
        running = [t for p in self.processes for t in p.pool if t.active]
        thread = thread or (self.rng.choice(running) if running else None)
        if not thread:
            return
        self.settle(thread)
        thread.work()
        thread.leave()
        thread.pause()
        ended = thread.event("thread_end", thread.process.contingent, thread.sequence)
        thread.active = False
        if self.rng.random() < 0.8:
            joiner = self.thread(thread.process)
            joiner.enter("pthread_join", RegionRole.THREAD_WAIT, Paradigm.PTHREAD)
            joiner.until(ended)
            joiner.pause()
            joiner.event("thread_wait", thread.process.contingent, thread.sequence)
            joiner.pause()
            joiner.leave()
