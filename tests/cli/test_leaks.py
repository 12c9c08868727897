# SPDX-License-Identifier: BSD-3-Clause
"""All golden inputs, good and bad, and incomplete archives through the library in one process (read_all.c): in a sanitizer
build its end says whether anything was not given back. READ_ALL names the program."""
import os
import subprocess

import common
from common import DATA, Case, archive

common.otf2_or_skip()


class Leaks(Case):
    def incomplete(self, name, damage):
        path = archive(self.work / name, "0 1",
                       "0 +f, 20 +MPI_Send, 25 send 1, 26 -, 26 +MPI_Barrier, 27 begin, 40 allreduce, 41 -, 50 -",
                       "0 +g, 10 +MPI_Recv, 30 recv 0, 32 -, 33 +MPI_Barrier, 34 begin, 40 allreduce, 41 -, 45 -")
        damage(path)
        return path

    def test_everything_is_given_back(self):
        inputs = sorted((DATA / "bad").iterdir()) + [p for p in sorted((DATA / "good").iterdir()) if p.suffix != ".expected"]
        inputs += [common.random_archive(self.work / ("archive%d" % seed), seed) for seed in range(12)]
        for name in ("traces.def", "traces.otf2", "traces/0.def", "traces/1.evt"):
            inputs.append(self.incomplete("without-" + name.replace("/", "-"), lambda path: (path / name).unlink()))
            inputs.append(self.incomplete("half-" + name.replace("/", "-"), lambda path: (path / name).write_bytes(
                (path / name).read_bytes()[:(path / name).stat().st_size // 2])))
        inputs.append(self.work / "nothing")
        inputs.append(archive(self.work / "unfinished", "0 1", "0 +f, 5 send 1, 7 send 1, 8 +g", "0 +g, 3 recv 0, 9 -"))
        inputs.append(archive(self.work / "cycle", "0 1", "0 +f, 5 recv 1, 10 send 1, 20 -", "0 +g, 5 recv 0, 10 send 0, 20 -"))
        run = subprocess.run([os.environ["READ_ALL"], *map(str, inputs)], capture_output=True, text=True, timeout=100)
        self.assertEqual(run.returncode, 0, run.stderr)
        print(run.stdout.strip())


if __name__ == "__main__":
    common.main()
