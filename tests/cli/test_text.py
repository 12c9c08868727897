# SPDX-License-Identifier: BSD-3-Clause
"""What people see: lines that fit 80 columns whatever the names, --top, names that cannot command the terminal."""
import unicodedata

import common
from common import EVENTS, GRAPH, Case, longpole

COMMANDS = (["analyze"], ["analyze", "-v"], ["path"], ["path", "--segments"], ["parallelism"], ["parallelism", "--count=all"])
LONG = "a_namespace::with_a_template<of_many, parameters, and_more>::and_a_method_that_goes_on_and_on"


def long_graph():
    """Long names of everything, one of them in another script, and times with many digits."""
    nodes, local, cross = [], [], []
    for p in range(12):
        process = "%s process %d of twelve on a_host_with_a_long_name.example.org" % (LONG, p)
        for i in range(4):
            nodes.append(["%s node %d.%d" % (LONG, p, i), process])
            if i:
                name = "%s %d" % (LONG * (1 + i % 2), (p + i) % 20) if p % 3 else "größe_Ω_%s" % (LONG + "Ω" * 40)
                local.append([nodes[-2][0], nodes[-1][0], name, 12345.678901 + p * 1000000 + i, i != 2 or p % 2 == 0])
        if p:
            cross.append(["%s node %d.1" % (LONG, p - 1), nodes[-2][0], 0.000001 * p])
    return {"nodes": nodes, "process_arcs": local, "cross_arcs": cross}


class Text(Case):
    def assert_fits(self, text, width=80):
        for line in text.splitlines():
            self.assertLessEqual(len(unicodedata.normalize("NFC", line)), width, line)

    def test_short_names_fit(self):
        for given in (GRAPH, EVENTS):
            path = self.file("short.json", given)
            for words in COMMANDS:
                with self.subTest(words=words):
                    self.assert_fits(self.done(longpole(*words, path, COLUMNS="80")))

    def test_long_names_in_a_graph_fit(self):
        path = self.file(LONG[:60].replace("/", "_") + ".json", long_graph())
        for words in COMMANDS:
            with self.subTest(words=words):
                self.assert_fits(self.done(longpole(*words, path, COLUMNS="80")))

    def test_unlimited_when_not_a_terminal(self):
        path = self.file("long.json", long_graph())
        self.assertIn(LONG + LONG, self.done(longpole("path", path)))

    def test_top_limits_the_rows(self):
        nodes = [["n%d" % i, "P"] for i in range(31)]
        local = [["n%d" % i, "n%d" % (i + 1), "procedure%02d" % i, i + 1, True] for i in range(30)]
        path = self.file("many.json", {"nodes": nodes, "process_arcs": local, "cross_arcs": []})
        for command in ("path", "analyze"):
            for words, shown in (([], 10), (["--top", "3"], 3), (["--top=30"], 30), (["--top", "1000"], 30)):
                text = self.done(longpole(command, path, *words))
                table = text.split("everywhere\n")[1].split("\n\n")[0]
                rows = [line for line in table.splitlines() if line.startswith("  procedure")]
                self.assertEqual([row.split()[0] for row in rows], ["procedure%02d" % (29 - i) for i in range(shown)])
                self.assertEqual("more" in table, shown < 30)
        self.assertEqual(len(self.answer("path", path, "--top", "3")["procedures"]), 30)

    def test_names_do_not_command_the_terminal(self):
        given = {"nodes": [["a\033[2J", "P\033]0;title\a"], ["b\r\n", "P\033]0;title\a"], ["x", "Q\n"], ["y", "Q\n"]],
                 "process_arcs": [["a\033[2J", "b\r\n", "f\033[31m\b\t\x7f", 5, True], ["x", "y", "g\n\ng", 2, False]],
                 "cross_arcs": [["y", "b\r\n", 1]]}
        path = self.file("controls.json", given)
        for words in COMMANDS:
            text = self.done(longpole(*words, path))
            self.assertNotRegex(text, r"[\x00-\x09\x0b-\x1f\x7f]")
            self.assertEqual(text, self.done(longpole(*words, path, COLUMNS="1000")))
        answer = self.answer("path", path, "--segments")
        self.assertEqual(answer["procedures"][0]["name"], "f\033[31m\b\t\x7f")

    def test_names_of_any_kind_are_kept_in_json(self):
        name = "\"quoted\" \\ back/slash \u00e4\u03a9\u4e2d\U0001f600 \u2028 \x01"
        path = self.file("names.json", {"nodes": [["a", name], ["b", name]], "process_arcs": [["a", "b", name, 1, True]]})
        answer = self.answer("path", path, "--segments")
        self.assertEqual(answer["path"], [{"processor": name, "procedure": name, "start": 0, "duration": 1}])

    def test_plot_is_ascii_without_utf8(self):
        text = longpole("parallelism", self.file("graph.json", GRAPH), LC_ALL="C").stdout
        self.assertTrue(text.isascii())

    def test_narrow_terminal_does_no_harm(self):
        path = self.file("long.json", long_graph())
        for columns in ("1", "40", "41", "63", "76", "0", "-5", "99999999999999999999"):
            for words in COMMANDS:
                self.done(longpole(*words, path, COLUMNS=columns))


class ArchiveText(Case):
    def setUp(self):
        common.otf2_or_skip()

    def test_long_names_in_an_archive_fit(self):
        import otf2
        directory = self.work / "long"
        with otf2.writer.open(str(directory), timer_resolution=10 ** 9) as writer:
            define = writer.definitions
            machine = define.system_tree_node("machine")
            locations = []
            for i in range(3):
                group = define.location_group("%s process %d" % (LONG, i), system_tree_parent=machine)
                locations.append(define.location("%s thread %d" % (LONG, i), group=group))
            group = define.group("all", otf2.GroupType.COMM_LOCATIONS, otf2.Paradigm.MPI, members=tuple(locations))
            group = define.group("world", otf2.GroupType.COMM_GROUP, otf2.Paradigm.MPI, members=tuple(locations))
            world = define.comm("world", group=group)
            regions = [define.region("%s region %d" % (LONG, i), source_file="/a/folder/%s.cpp" % LONG, begin_line_number=12345)
                       for i in range(3)]
            for i, location in enumerate(locations):
                event = writer.event_writer_from_location(location)
                event.enter(1000, regions[i])
                if i < 2:
                    event.mpi_send(5 * 10 ** 9 * (i + 1), i + 1, world, 0, 8)
                event.leave(6 * 10 ** 9 * (i + 1), regions[i])
                event.enter(7 * 10 ** 9 * (i + 1), regions[0])
                if i:
                    event.mpi_recv(30 * 10 ** 9, i - 1, world, 0, 8)
                event.parameter_unsigned_int(10 ** 12 - 1, define.parameter("p", otf2.ParameterType.UINT64), 5)
                event.leave(10 ** 12 + i, regions[0])
        for words in COMMANDS:
            with self.subTest(words=words):
                text = self.done(longpole(*words, directory, COLUMNS="80"))
                for line in text.splitlines():
                    self.assertLessEqual(len(line), 80, line)


if __name__ == "__main__":
    common.main()
