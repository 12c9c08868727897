# SPDX-License-Identifier: BSD-3-Clause
"""Exit codes, options and complaints: 0 or 2, one line on stderr that names the file and the place."""
import os
import subprocess

import common
from common import EVENTS, GRAPH, Case, environment, longpole

INPUT_COMMANDS = ("analyze", "path", "parallelism")
COMMANDS = INPUT_COMMANDS + ("doctor",)


class Main(Case):
    def test_help_lists_the_commands(self):
        for word in ("--help", "-h"):
            text = self.done(longpole(word))
            self.assertTrue(text.startswith("usage: longpole "))
            for command in COMMANDS:
                self.assertRegex(text, r"(?m)^  %s +\S" % command)

    def test_version(self):
        self.assertRegex(self.done(longpole("--version")), r"\Alongpole \d+\.\d+\.\d+\n\Z")

    def test_no_or_unknown_command(self):
        self.refused(longpole(), "no command")
        self.refused(longpole("frobnicate"), "frobnicate")
        self.refused(longpole(""), "no command")
        self.refused(longpole("--json"), "--json")

    def test_complaint_about_a_strange_word_is_one_line(self):
        self.refused(longpole("two\nlines"))
        self.refused(longpole("path", "--two\nlines"))
        self.refused(longpole("path", "no\nsuch\033[2Jfile"))


class Options(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.graph = cls("file").file("graph.json", GRAPH)

    def test_help_of_each_command(self):
        for command in COMMANDS:
            for word in ("--help", "-h"):
                text = self.done(longpole(command, word))
                self.assertTrue(text.startswith("usage: longpole %s " % command))
                self.assertIn("--json", text)

    def test_usage_errors(self):
        for command in INPUT_COMMANDS:
            for words, parts in (([], ["no input"]), (["--frobnicate", self.graph], ["--frobnicate"]),
                                 (["-x", self.graph], ["-x"]), ([self.graph, self.graph], [self.graph.name]),
                                 (["--json=yes", self.graph], ["--json"]), ([self.graph, "--top"], ["--top", "value"]),
                                 (["--top", "many", self.graph], ["--top", "many"]), (["--top=", self.graph], ["--top"]),
                                 (["--top", "-3", self.graph], ["--top", "-3"]), (["--top", "3x", self.graph], ["3x"]),
                                 (["--top", "99999999999999999999", self.graph], ["--top"]),
                                 (["--threads", "1.5", self.graph], ["--threads", "1.5"]),
                                 (["--threads", "100000", self.graph], ["--threads"]),
                                 (["--color", "pink", self.graph], ["--color", "pink"]),
                                 (["--color", "", self.graph], ["--color"]), ([self.graph, "-o"], ["--output"]),
                                 (["-o", "", self.graph], ["--output"])):
                with self.subTest(command=command, words=words):
                    self.refused(longpole(command, *words), command, *parts)
        self.refused(longpole("parallelism", "--count", "none", self.graph), "--count", "none", "work|all")
        self.refused(longpole("parallelism", "--place", "late", self.graph), "--place", "late")
        self.refused(longpole("parallelism", "--count", "wor", self.graph), "--count")
        self.refused(longpole("doctor", self.graph), self.graph.name)

    def test_values_may_be_joined(self):
        self.assertEqual(longpole("path", "--top", "1", self.graph).stdout, longpole("path", "--top=1", self.graph).stdout)
        self.done(longpole("path", "--color=never", "--threads=2", self.graph))

    def test_letters_may_be_joined(self):
        target = self.work / "joined"
        self.done(longpole("path", self.graph, "-qvo%s" % target))
        self.assertEqual(target.read_bytes(), longpole("path", self.graph, "-q", "-v").stdout)
        self.refused(longpole("path", self.graph, "-qx"), "-qx")

    def test_double_dash_ends_the_options(self):
        (self.work / "-graph.json").write_bytes(self.graph.read_bytes())
        run = lambda *words: subprocess.run([common.PROGRAM, *words], cwd=self.work, capture_output=True, env=environment())
        self.refused(run("path", "-graph.json"), "-graph.json")
        self.done(run("path", "--", "-graph.json"))

    def test_environment_sets_defaults(self):
        self.assertEqual(longpole("path", self.graph, LONGPOLE_TOP="1").stdout, longpole("path", self.graph, "--top=1").stdout)
        self.assertIn(b"\033[1m", longpole("path", self.graph, LONGPOLE_COLOR="always").stdout)
        self.assertNotIn(b"\033", longpole("path", self.graph, "--color", "never", LONGPOLE_COLOR="always").stdout)
        self.done(longpole("path", self.graph, LONGPOLE_THREADS="2"))
        for name, value in (("LONGPOLE_TOP", "x"), ("LONGPOLE_THREADS", "-1"), ("LONGPOLE_COLOR", "red")):
            self.refused(longpole("path", self.graph, **{name: value}), name, value)

    def test_colour_is_for_terminals(self):
        self.assertNotIn(b"\033", longpole("path", self.graph).stdout)
        self.assertIn(b"\033[1m", longpole("path", self.graph, "--color", "always").stdout)
        self.assertNotIn(b"\033", longpole("path", self.graph, "--color", "always", "--json").stdout)


class Files(Case):
    def test_missing_input(self):
        for command in INPUT_COMMANDS:
            self.refused(longpole(command, self.work / "nothing.json"), "nothing.json", "No such file")
            self.refused(longpole(command, self.work / "nothing.otf2", "--json"), "nothing.otf2")
            self.refused(longpole(command, ""))

    def test_directory_without_one_archive(self):
        empty, double = self.work / "empty", self.work / "double"
        empty.mkdir()
        double.mkdir()
        (double / "a.otf2").write_bytes(b"")
        (double / "b.otf2").write_bytes(b"")
        self.refused(longpole("path", empty), empty, "0 files")
        self.refused(longpole("path", double), double, "2 files")

    def test_unreadable_input(self):
        path = self.file("secret.json", GRAPH)
        path.chmod(0)
        if os.access(path, os.R_OK):
            self.skipTest("everything is readable to this user")
        self.refused(longpole("path", path), path, "Permission denied")

    def test_special_files(self):
        self.refused(longpole("path", "/dev/null"), "/dev/null", "empty")

    def test_output_goes_to_the_file(self):
        graph, events = self.file("graph.json", GRAPH), self.file("events.json", EVENTS)
        for command in INPUT_COMMANDS:
            for options in ([], ["--json"]):
                for source in (graph, events):
                    target = self.work / "result"
                    direct = longpole(command, source, *options)
                    self.assertEqual(self.done(longpole(command, source, *options, "-o", target)), "")
                    self.assertEqual(target.read_bytes(), direct.stdout)
                    self.assertEqual(self.done(longpole(command, source, *options, "--output=%s" % target)), "")
                    self.assertEqual(target.read_bytes(), direct.stdout)

    def test_output_that_cannot_be_written(self):
        graph = self.file("graph.json", GRAPH)
        target = self.work / "no" / "such" / "folder"
        self.refused(longpole("path", graph, "-o", target), target, "No such file")
        self.refused(longpole("path", graph, "-o", self.work), self.work)
        if os.path.exists("/dev/full"):
            self.refused(longpole("path", graph, "-o", "/dev/full"), "/dev/full", "No space")
            for words in (["path", graph], ["path", graph, "--json"], ["doctor"], ["path", "--help"], ["--help"], ["--version"]):
                with self.subTest(words=words), open("/dev/full", "wb") as full:
                    run = subprocess.run([common.PROGRAM, *map(str, words)], stdout=full, stderr=subprocess.PIPE,
                                         env=environment())
                    self.assertEqual(run.returncode, 2)
                    self.assertRegex(run.stderr.decode(), r"\Alongpole: [^\n]*No space[^\n]*\n\Z")

    def test_bad_input_leaves_the_output_alone(self):
        bad, target = self.file("bad.json", "{"), self.file("kept", "kept")
        self.refused(longpole("path", bad, "-o", target), bad)
        self.assertEqual(target.read_text(), "kept")

    def test_input_is_recognised_by_content(self):
        for name in ("graph", "graph.txt", "graph.csv"):
            self.answer("path", self.file(name, GRAPH))


if __name__ == "__main__":
    common.main()
