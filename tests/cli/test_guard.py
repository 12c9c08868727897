# SPDX-License-Identifier: BSD-3-Clause
"""Archives are read in a child process: when it dies or hangs, one line says where it was. A pipe in place of an event file
stands for the OTF2 library that never comes back, a signal for one that crashes."""
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import common
from common import DATA, Case, environment, longpole


def children(parent):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(stat.parent.name))
    return found


class Guard(Case):
    def setUp(self):
        self.archive = self.work / self.id().split(".")[-1]
        shutil.copytree(DATA / "good" / "late_sender", self.archive)
        (self.archive / "traces" / "0.evt").unlink()
        os.mkfifo(self.archive / "traces" / "0.evt")

    def start(self):
        """The program under way, and its child, which waits for bytes that do not come."""
        run = subprocess.Popen([common.PROGRAM, "path", str(self.archive), "--json"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        for _ in range(200):
            if children(run.pid):
                time.sleep(0.3)
                return run, children(run.pid)[0]
            time.sleep(0.05)
        run.kill()
        self.fail("the program has no child")

    def ends(self, run):
        out, err = run.communicate(timeout=30)
        return subprocess.CompletedProcess(run.args, run.returncode, out, err)

    def test_hanging_child_is_given_up(self):
        begin = time.monotonic()
        self.refused(longpole("path", self.archive, LONGPOLE_READ_TIMEOUT="1"), self.archive, "no progress", "location 0")
        self.assertLess(time.monotonic() - begin, 20)
        self.refused(longpole("path", self.archive, LONGPOLE_READ_TIMEOUT="soon"), "LONGPOLE_READ_TIMEOUT", "soon")

    def test_crashed_child_is_reported(self):
        for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE):
            if common.SANITIZER and number != signal.SIGSEGV:
                continue                          # the sanitizer keeps those for itself
            run, child = self.start()
            os.kill(child, number)
            self.refused(self.ends(run), self.archive, "crashed", "location 0")

    def test_killed_child_is_reported(self):
        run, child = self.start()
        os.kill(child, signal.SIGKILL)
        self.refused(self.ends(run), self.archive, "killed", "location 0")

    def test_child_goes_with_its_parent(self):
        run, child = self.start()
        run.kill()
        self.ends(run)
        for _ in range(100):
            stat = Path("/proc/%d/stat" % child)
            if not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return
            time.sleep(0.05)
        self.fail("the child lives on")

    def test_interrupted_child_is_no_damage(self):
        run, child = self.start()
        os.kill(child, signal.SIGTERM)
        result = self.ends(run)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (128 + signal.SIGTERM, b"", b""))


if __name__ == "__main__":
    common.main()
