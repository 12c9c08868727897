# SPDX-License-Identifier: BSD-3-Clause
"""Equal input, equal bytes: run after run, and with any number of threads. (Random archives may hold a message that
nobody receives: so with --salvage.)"""
import common
from common import Case, longpole

common.otf2_or_skip()

COMMANDS = (["analyze"], ["analyze", "--json"], ["path", "--segments"], ["path", "--segments", "--json"],
            ["path", "--tight", "--json"], ["parallelism"], ["parallelism", "--json"])


class Determinism(Case):
    def check(self, path):
        for words in COMMANDS:
            first = self.done(longpole(*words, path, "--salvage", "--threads", "1"))
            for threads in ("1", "2", "3", "16", "0"):
                with self.subTest(words=words, threads=threads):
                    self.assertEqual(self.done(longpole(*words, path, "--salvage", "--threads", threads)), first)

    def test_archives(self):
        for seed in range(max(1, round(4 * common.SCALE))):
            self.check(common.random_archive(self.work / ("archive%d" % seed), seed, ranks=4, threads=3, steps=80))

    def test_graphs(self):
        import random
        from pag import random_event_trace_json, random_graph_json
        for seed in range(max(1, round(4 * common.SCALE))):
            self.check(self.file("graph.json", random_graph_json(random.Random(seed), processes=5)))
            self.check(self.file("events.json", random_event_trace_json(random.Random(seed))))

    def test_anchor_or_directory(self):
        """An archive is the same by its anchor, by its directory, and from within."""
        directory = common.random_archive(self.work / "named", 5)
        anchor = directory / "traces.otf2"
        self.assertEqual(longpole("path", anchor, "--json").stdout, longpole("path", directory, "--json").stdout)
        self.assertEqual(longpole("path", str(directory) + "/", "--json").stdout, longpole("path", directory, "--json").stdout)

    def test_any_anchor_name(self):
        import otf2
        import random_trace
        results = []
        for name in ("traces", "another name"):
            directory = self.work / name
            with otf2.writer.open(str(directory), archive_name=name, timer_resolution=10 ** 9) as archive:
                program = random_trace.Program(archive, 7, 2, 2, ["p2p", "collective"])
                program.run(30)
                program.write()
            results.append(self.done(longpole("path", directory, "--json", "--salvage")))
            self.assertEqual(self.done(longpole("path", directory / (name + ".otf2"), "--json", "--salvage")), results[-1])
        self.assertEqual(*results)


if __name__ == "__main__":
    common.main()
