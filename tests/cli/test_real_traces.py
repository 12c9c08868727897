# SPDX-License-Identifier: BSD-3-Clause
"""Traces of real programs and of a simulator (the folder LONGPOLE_REAL_TRACES; skipped without it) read and make sense."""
import os
import sys
from pathlib import Path

import common
from common import Case, longpole

FOLDER = Path(os.environ.get("LONGPOLE_REAL_TRACES") or "/nowhere")
ARCHIVES = sorted({anchor.parent for anchor in FOLDER.glob("*/*.otf2")})
if not ARCHIVES:
    print("%s: no archives there" % FOLDER)
    sys.exit(common.SKIPPED)
UNMATCHED = ("unmatched_sends", "unmatched_receives", "unmatched_others", "incomplete_collectives", "unfinished_regions",
             "stray_leaves", "dropped_arcs", "time_reversals")


class RealTraces(Case):
    def test_read_completely(self):
        for path in ARCHIVES:
            with self.subTest(path.name):
                answer = self.answer("analyze", path)
                self.assertEqual({key: answer["reading"][key] for key in UNMATCHED}, dict.fromkeys(UNMATCHED, 0))
                self.assertEqual(answer["reading"]["gaps"], [])
                self.assertGreater(answer["reading"]["events"], 0)
                self.assertGreater(answer["processors"], 1)

    def test_make_sense(self):
        for path in ARCHIVES:
            with self.subTest(path.name):
                answer = self.answer("path", path, "--segments")
                self.assertGreater(answer["length"], 0)
                self.assertLessEqual(answer["length"], answer["wall"])
                on_path = sum(row["path"] for row in answer["procedures"])
                self.assertAlmostEqual(on_path, answer["length"], delta=answer["length"] * 1e-9)
                for row in answer["procedures"]:
                    self.assertLessEqual(row["slack"], row["zeroing"])
                    self.assertLessEqual(row["zeroing"], row["path"])
                    self.assertLessEqual(row["path"], row["total"])
                parallelism = self.answer("parallelism", path)
                self.assertLessEqual(1, parallelism["average"])
                self.assertLessEqual(parallelism["average"], parallelism["maximum"])
                self.done(longpole("analyze", path))


if __name__ == "__main__":
    common.main()
