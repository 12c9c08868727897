# SPDX-License-Identifier: BSD-3-Clause
"""What the end-to-end tests share: running the program, judging its answer, making inputs.

CTest names the program in the environment variable LONGPOLE and runs each test_*.py as a test of its own; by hand:

    LONGPOLE=build/longpole /usr/bin/python3 tests/cli/test_messages.py [-v] [CLASS.TEST]
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TESTS = Path(__file__).absolute().parent.parent
DATA = TESTS / "data"
sys.path.insert(0, str(TESTS / "reference"))
PROGRAM = os.environ.get("LONGPOLE") or sys.exit("LONGPOLE: name the program to test")
SCALE = float(os.environ.get("LONGPOLE_TEST_SCALE") or 1)
SANITIZER = "ASAN_OPTIONS" in os.environ and os.environ.get("LONGPOLE_SANITIZED") == "1"
SKIPPED = 77                                      # what CTest takes for "skipped"
HEEDED = ("COLUMNS", "NO_COLOR", "LC_ALL", "LANG", "LC_CTYPE")      # what the program reads, besides LONGPOLE_*


def environment(**changes):
    """The caller's environment without anything that the program heeds, but for `changes`."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("LONGPOLE") and k not in HEEDED}
    return {**clean, "LC_ALL": "C.UTF-8", **changes}


def longpole(*words, timeout=120, **changes):
    """Runs the program; `changes` are environment variables. Answers bytes."""
    return subprocess.run([PROGRAM, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout,
                          env=environment(**changes))


def strict_json(data):
    """JSON as the standard has it: UTF-8, no NaN, no key twice."""
    def unique(pairs):
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError("a key occurs twice: %s" % [key for key, _ in pairs])
        return dict(pairs)

    def constant(name):
        raise ValueError("%s is not JSON" % name)
    return json.loads(data.decode("utf-8"), object_pairs_hook=unique, parse_constant=constant)


class Case(unittest.TestCase):
    """A test case with a folder of its own (self.work) that goes when it is over."""
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="longpole-test-")
        cls.work = Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def file(self, name, content):
        """Writes an input (text, bytes, or anything else as JSON) and answers its path."""
        path = self.work / name
        if not isinstance(content, (str, bytes)):
            content = json.dumps(content)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    # ---- what an answer must be --------------------------------------------------------------------

    def done(self, result):
        """Exit 0, nothing on stderr; answers stdout as text."""
        self.assertEqual((result.returncode, result.stderr.decode(errors="replace")), (0, ""), result.args)
        return result.stdout.decode("utf-8")

    def answer(self, *words, kind=None, **changes):
        """Runs with --json: exactly one JSON object on stdout, nothing on stderr; answers it."""
        result = longpole(*words, "--json", **changes)
        self.done(result)
        value = strict_json(result.stdout)
        self.assertIsInstance(value, dict)
        self.assertEqual(value["kind"], kind or words[0])
        return value

    def message(self, result):
        """A refusal: exit 2, nothing on stdout, one line on stderr with our prefix; answers the line without it."""
        text = result.stderr.decode(errors="replace")
        self.assertEqual((result.returncode, result.stdout), (2, b""), "%s: %s" % (result.args, text))
        self.assertRegex(text, r"\Alongpole: [^\n]+\n\Z")
        self.assertNotRegex(text[:-1], r"[\x00-\x1f\x7f]")
        return text[len("longpole: "):-1]

    def refused(self, result, *parts):
        """As message(), and it holds all `parts`."""
        text = self.message(result)
        for part in parts:
            self.assertIn(str(part), text)
        return text


# ---- inputs ----------------------------------------------------------------------------------------

GRAPH = {"nodes": [["a", "P"], ["b", "P"], ["c", "P"], ["x", "Q"], ["y", "Q"]],
         "process_arcs": [["a", "b", "compute", 4, True], ["b", "c", "receive", 3, False], ["x", "y", "produce", 6, True]],
         "cross_arcs": [["y", "c", 1]]}
EVENTS = {"p0": [{"id": "s1", "work": 2}, {"id": "r2", "work": 3, "recv": "s2", "comm": 1}],
          "p1": [{"id": "r1", "work": 1, "recv": "s1", "comm": 1}, {"id": "s2", "work": 4}]}


def otf2_or_skip():
    """The module otf2 (python3-otf2), or the end of this test program as skipped."""
    try:
        import otf2
    except ImportError:
        print("python3-otf2 is not installed")
        sys.exit(SKIPPED)
    return otf2


def random_archive(directory, seed, ranks=3, threads=2, steps=40, features=None):
    """A random, complete OTF2 archive (reference/random_trace.py)."""
    import random_trace
    random_trace.generate(directory, seed, ranks, threads, steps, features or random_trace.FEATURES)
    return directory


def archive(directory, processes, *lines):
    """An archive by hand: known_traces.py says how a line is written."""
    import known_traces
    known_traces.write(directory, ("", processes, list(lines)))
    return directory


def main():
    unittest.main(argv=[sys.argv[0]] + sys.argv[1:], verbosity=1 if len(sys.argv) > 1 else 2)
