# SPDX-License-Identifier: BSD-3-Clause
"""Bad JSON, one way at a time (tests/data/bad), and too much of it: always exit 2 and one line that names the file and the
place, with every command, and with --salvage too, which is for traces."""
import json

import common
from common import DATA, Case, longpole

BAD = DATA / "bad"
COMMANDS = ("path", "parallelism", "analyze")


def expected_messages():
    lines = [line.split(None, 1) for line in (BAD / "MESSAGES").read_text().splitlines() if not line.startswith("#")]
    return {name: message.strip() for name, message in lines}


class Golden(Case):
    def test_every_file_has_a_message(self):
        self.assertEqual(set(expected_messages()) | {"MESSAGES"}, {path.name for path in BAD.iterdir()})

    def test_messages(self):
        for number, (name, message) in enumerate(sorted(expected_messages().items())):
            command = COMMANDS[number % len(COMMANDS)]
            for options in ([], ["--json"], ["--salvage"]):
                with self.subTest(file=name, command=command, options=options):
                    self.refused(longpole(command, BAD / name, *options), "%s%s" % (BAD / name, message))


class Made(Case):
    """What is too large to keep."""

    def test_deep_nesting(self):
        deep = 10 ** 6
        for name, text in (("lists", "[" * deep), ("closed", "[" * deep + "]" * deep), ("objects", '{"a":' * deep),
                           ("nodes", '{"nodes":' + "[" * deep + "]" * deep + "}"),
                           ("events", '{"p":[{"id":' + '{"x":' * deep)):
            with self.subTest(name):
                path = self.file("deep_" + name, text)
                self.refused(longpole("path", path), path)

    def test_long_tokens(self):
        for name, text in (("text", '{"nodes":[["%s' % ("x" * 10 ** 6)), ("digits", '{"nodes":%s}' % ("1" * 10 ** 6)),
                           ("fraction", '{"p":[{"id":"a","work":-0.%s}]}' % ("1" * 10 ** 6)),
                           ("name", '{"nodes":[["%s","P"],["%s","P"]]}' % ("x" * 10 ** 5, "x" * 10 ** 5)),
                           ("blanks", " " * 10 ** 6), ("key", '{"%s":1}' % ("k" * 10 ** 6))):
            with self.subTest(name):
                path = self.file("long_" + name, text)
                self.assertLess(len(self.refused(longpole("path", path), path)), 1024)

    def test_cycle_through_many(self):
        count = 20000
        nodes = [["n%d" % i, "P%d" % (i % 100)] for i in range(count)]
        cross = [["n%d" % i, "n%d" % ((i + 1) % count), 0] for i in range(count)]
        path = self.file("ring.json", {"nodes": nodes, "process_arcs": [], "cross_arcs": cross})
        self.refused(longpole("path", path), path, "cycle")

    def test_truncation_at_every_length(self):
        """A whole graph, cut at each byte: never a crash, and only the whole of it is accepted."""
        text = json.dumps(common.GRAPH).encode()
        for length in range(0, len(text), max(1, round(3 / common.SCALE))):
            path = self.file("cut.json", text[:length])
            self.refused(longpole("path", path), path)
        self.answer("path", self.file("whole.json", text))


if __name__ == "__main__":
    common.main()
