# SPDX-License-Identifier: BSD-3-Clause
"""The doctor says what can be read and measured here, and why not."""
import common
from common import Case, longpole


class Doctor(Case):
    def test_text(self):
        text = self.done(longpole("doctor"))
        lines = text.splitlines()
        self.assertIn("longpole", lines[0])
        for line in lines[1:]:
            self.assertRegex(line, r"\A(ok|no)  \S")
        for what in ("processors", "clock", "OTF2", "JSON"):
            self.assertIn(what, text)

    def test_json(self):
        answer = self.answer("doctor")
        self.assertEqual(answer["longpole"], longpole("--version").stdout.decode().split()[1])
        self.assertTrue(answer["findings"])
        for finding in answer["findings"]:
            self.assertEqual(set(finding), {"what", "ok", "text"})
            self.assertIsInstance(finding["ok"], bool)
            self.assertTrue(finding["what"] and finding["text"])
        names = [finding["what"] for finding in answer["findings"]]
        self.assertEqual(len(names), len(set(names)))

    def test_fits_80_columns(self):
        for line in self.done(longpole("doctor", COLUMNS="80")).splitlines():
            self.assertLessEqual(len(line), 80, line)


if __name__ == "__main__":
    common.main()
