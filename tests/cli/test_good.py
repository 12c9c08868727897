# SPDX-License-Identifier: BSD-3-Clause
"""Golden inputs (tests/data/good): each has an answer worked out by hand beside it.

NAME.json, or the folder NAME with an OTF2 archive, is the input; NAME.expected says what must be found: for each command
line (the command and its options) the part of its JSON answer that matters. Lists must match in full, objects in the
keys given; "about" says what the input is for.
"""
import json

import common
from common import DATA, Case

GOOD = DATA / "good"


class Good(Case):
    def assert_part(self, expected, found, where):
        if isinstance(expected, dict):
            self.assertIsInstance(found, dict, where)
            for key, value in expected.items():
                self.assertIn(key, found, where)
                self.assert_part(value, found[key], "%s.%s" % (where, key))
        elif isinstance(expected, list):
            self.assertIsInstance(found, list, where)
            self.assertEqual(len(found), len(expected), "%s: %s" % (where, found))
            for i, value in enumerate(expected):
                self.assert_part(value, found[i], "%s[%d]" % (where, i))
        elif isinstance(expected, float):
            self.assertAlmostEqual(found, expected, delta=abs(expected) * 1e-12, msg=where)
        else:
            self.assertEqual(found, expected, where)

    def test_every_input_has_an_answer(self):
        names = {path.name.removesuffix(".json") for path in GOOD.iterdir() if path.suffix != ".expected"}
        self.assertEqual({path.stem for path in GOOD.glob("*.expected")}, names)

    def test_answers(self):
        for file in sorted(GOOD.glob("*.expected")):
            directory = GOOD / file.stem
            path = directory if directory.is_dir() else GOOD / (file.stem + ".json")
            expected = json.loads(file.read_text())
            for words, part in expected.items():
                if words != "about":
                    with self.subTest(file=file.stem, words=words):
                        command, *options = words.split()
                        self.assert_part(part, self.answer(command, path, *options), words)


if __name__ == "__main__":
    common.main()
