# SPDX-License-Identifier: BSD-3-Clause
"""What --json answers: the promised keys, for every kind of input, with numbers that fit together."""

import common
from common import DATA, EVENTS, GRAPH, Case, longpole, strict_json

common.otf2_or_skip()


class Inputs(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        maker = cls("file")
        cls.inputs = {"activity graph": maker.file("graph.json", GRAPH), "event trace": maker.file("events.json", EVENTS),
                      "OTF2": common.random_archive(cls.work / "archive", 1)}
        cls.version = longpole("--version").stdout.decode().split()[1]

    def each(self, *words):
        """The answer of a command for each kind of input."""
        for kind, path in self.inputs.items():
            with self.subTest(kind):
                answer = self.answer(words[0], path, *words[1:])
                self.assertEqual(answer["longpole"], self.version)
                self.assertEqual(answer["reading"]["format"], kind)
                yield answer

    def numbers(self, values):
        for value in values:
            self.assertIsInstance(value, (int, float))


class Path(Inputs):
    def test_keys_and_order(self):
        for answer in self.each("path"):
            self.numbers([answer["length"], answer["wall"]])
            self.assertLessEqual(answer["length"], answer["wall"])
            self.assertNotIn("path", answer)
            self.assertNotIn("slack_segments", answer)
            rows = answer["procedures"]
            self.assertTrue(rows)
            for row in rows:
                self.assertLessEqual({"name", "path", "slack", "zeroing", "total"}, set(row))
                self.assertLessEqual(0, row["slack"])
                self.assertLessEqual(row["slack"], row["zeroing"])
                self.assertLessEqual(row["zeroing"], row["path"])
                self.assertLessEqual(row["path"], row["total"])
            paths = [row["path"] for row in rows]
            self.assertEqual(paths, sorted(paths, reverse=True))

    def test_rest_is_the_difference(self):
        for answer in self.each("path"):
            rest = answer["rest"]
            self.assertAlmostEqual(sum(rest.values()), answer["wall"] - answer["length"], delta=1e-12 + answer["wall"] * 1e-12)

    def test_segments(self):
        for answer in self.each("path", "--segments"):
            self.assertTrue(answer["path"])
            for piece in answer["path"]:
                self.assertEqual(set(piece), {"processor", "procedure", "start", "duration"})
                self.numbers([piece["start"], piece["duration"]])
            for start, end, slack in answer["slack_segments"]:
                self.assertIsInstance(start, str)
                self.assertIsInstance(end, str)
                self.assertLessEqual(0, slack)
            on_path = {row["name"]: row["path"] for row in answer["procedures"] if row["path"]}
            sums = {}
            for piece in answer["path"]:
                sums[piece["procedure"]] = sums.get(piece["procedure"], 0) + piece["duration"]
            self.assertEqual(set(sums), set(on_path))
            for name, time in sums.items():
                self.assertAlmostEqual(time, on_path[name], delta=on_path[name] * 1e-9)

    def test_tight_is_never_less(self):
        for tight in self.each("path", "--tight"):
            path = self.inputs[tight["reading"]["format"]]
            slack = {row["name"]: row["slack"] for row in self.answer("path", path)["procedures"]}
            for row in tight["procedures"]:
                self.assertLessEqual(slack[row["name"]], row["slack"])


class Parallelism(Inputs):
    def test_keys_and_identities(self):
        for options in ([], ["--count", "all"], ["--place", "latest"], ["--count=all", "--place=latest"]):
            for answer in self.each("parallelism", *options):
                self.numbers([answer[key] for key in ("work", "length", "average", "maximum")])
                area = sum((end - begin) * degree for begin, end, degree in answer["profile"])
                self.assertAlmostEqual(area, answer["work"], delta=answer["work"] * 1e-9)
                mean = sum(int(degree) * share for degree, share in answer["shape"].items())
                self.assertAlmostEqual(mean, answer["average"], delta=1e-9 * answer["average"])
                self.assertAlmostEqual(sum(answer["shape"].values()), 1, delta=1e-9)
                self.assertEqual(max(degree for _, _, degree in answer["profile"]), answer["maximum"])
                self.assertLessEqual(answer["average"], answer["maximum"])

    def test_counting_messages(self):
        path = self.inputs["activity graph"]
        self.assertEqual(self.answer("parallelism", path)["work"], 10)
        self.assertEqual(self.answer("parallelism", path, "--count", "all")["work"], 11)


class Analyze(Inputs):
    PARTS = ("useful", "waiting", "overhead", "absent")

    def test_account_adds_up(self):
        for answer in self.each("analyze"):
            whole = answer["processors"] * answer["elapsed"]
            self.assertAlmostEqual(sum(answer[part] for part in self.PARTS), whole, delta=whole * 1e-9)
            for part in self.PARTS:
                rows = sum(row[part] for row in answer["per_processor"])
                self.assertAlmostEqual(rows, answer[part], delta=whole * 1e-9)
            for key in ("waits", "wait_pairs"):
                waited = sum(row["time"] for row in answer[key])
                self.assertAlmostEqual(waited, answer["waiting"], delta=whole * 1e-9)

    def test_agrees_with_the_other_commands(self):
        for answer in self.each("analyze"):
            path = self.inputs[answer["reading"]["format"]]
            alone = self.answer("path", path)
            self.assertEqual(answer["path"]["length"], alone["length"])
            self.assertEqual(answer["path"]["procedures"], alone["procedures"])
            self.assertEqual(answer["elapsed"], alone["wall"])
            alone = self.answer("parallelism", path)
            for key in ("work", "average", "maximum"):
                self.assertEqual(answer["parallelism"][key], alone[key])


class Vectors(Case):
    """The published examples, asked for as a script would."""

    def rows(self, answer, key):
        return {row["name"]: row[key] for row in answer["procedures"] if row["path"]}

    def check(self, given, expected):
        path = self.file("vector.json", given)
        answer = self.answer("path", path, "--segments")
        self.assertEqual(answer["length"], expected["length"])
        positive = {p: t for p, t in expected["critical_path_profile"].items() if t}
        self.assertEqual(self.rows(answer, "path"), positive)
        for key, found in (("slack_literal", self.rows(answer, "slack")), ("logical_zeroing", self.rows(answer, "zeroing")),
                           ("slack_exact", self.rows(self.answer("path", path, "--tight"), "slack"))):
            self.assertEqual(found, {p: expected[key][p] for p in positive}, key)
        if "segments_literal" in expected:
            self.assertEqual(sorted(answer["slack_segments"]), sorted(expected["segments_literal"]))

    def test_activity_graphs(self):
        for name in ("01_pag_paper", "02_pag_waiting", "03_pag_random"):
            vector = strict_json((DATA / "vectors" / (name + ".json")).read_bytes())
            many = isinstance(vector["input"], list)
            for given, expected in zip(vector["input"] if many else [vector["input"]],
                                       vector["expected"] if many else [vector["expected"]]):
                with self.subTest(name):
                    self.check(given, expected)

    def test_space_time(self):
        vector = strict_json((DATA / "vectors" / "04_spacetime.json").read_bytes())
        for given, expected in zip(vector["input"], vector["expected"]):
            path = self.file("vector.json", given)
            for count, key in (("work", "work_only"), ("all", "all_activities")):
                want = expected[key]
                answer = self.answer("parallelism", path, "--count", count)
                self.assertEqual((answer["length"], answer["work"]), (want["length"], want["total"]))
                self.assertAlmostEqual(answer["average"], want["average_parallelism"], delta=1e-12)
                self.assertEqual(answer["profile"], want["profile_asap"])
                self.assertEqual(set(answer["shape"]), set(want["shape_asap"]))
                for degree, share in want["shape_asap"].items():
                    self.assertAlmostEqual(answer["shape"][degree], share, delta=1e-12)
                latest = self.answer("parallelism", path, "--count", count, "--place", "latest")
                self.assertEqual(latest["profile"], want["profile_alap"])


if __name__ == "__main__":
    common.main()
