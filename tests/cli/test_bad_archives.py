# SPDX-License-Identifier: BSD-3-Clause
"""Incomplete OTF2 archives: an error that says what is missing, or with --salvage an answer over the rest and a list of
what is not there."""
import shutil

import common
from common import Case, archive, longpole

otf2 = common.otf2_or_skip()


class Archives(Case):
    def setUp(self):
        self.count = getattr(self, "count", 0)

    def new(self, *lines, processes="0 1"):
        self.count += 1
        return archive(self.work / ("%s-%d" % (self.id().split(".")[-1], self.count)), processes, *lines)

    def complete(self):
        return self.new("0 +f, 20 +MPI_Send, 25 send 1, 26 -, 26 +MPI_Barrier, 27 begin, 40 allreduce, 41 -, 50 -",
                        "0 +g, 10 +MPI_Recv, 30 recv 0, 32 -, 33 +MPI_Barrier, 34 begin, 40 allreduce, 41 -, 45 -")

    def salvaged(self, path, *parts):
        """Refused without --salvage, answered with it; each of `parts` is in the error or the gaps."""
        text = self.refused(longpole("analyze", path), path)
        answer = self.answer("analyze", path, "--salvage")
        self.assertTrue(answer["reading"]["gaps"])
        for part in parts:
            self.assertIn(part, text + "\n" + "\n".join(answer["reading"]["gaps"]))
        self.assertIn(answer["reading"]["gaps"][0], self.done(longpole("analyze", path, "--salvage")))
        return answer

    def hopeless(self, path, *parts):
        for options in ([], ["--salvage"], ["--json"]):
            self.refused(longpole("analyze", path, *options), path, *parts)


class MissingFiles(Archives):
    def test_complete_archive_is_fine(self):
        answer = self.answer("path", self.complete())
        self.assertAlmostEqual(answer["length"], 50e-9)
        self.assertEqual(answer["reading"]["gaps"], [])

    def test_global_definitions(self):
        path = self.complete()
        (path / "traces.def").unlink()
        self.hopeless(path)

    def test_anchor(self):
        path = self.complete()
        (path / "traces.otf2").unlink()
        self.hopeless(path, "0 files")

    def test_events_of_a_location(self):
        path = self.complete()
        (path / "traces" / "1.evt").unlink()
        answer = self.salvaged(path, "location 1", "location 1\"")
        self.assertEqual(answer["processors"], 2)
        self.assertGreater(answer["path"]["length"], 0)

    def test_local_definitions(self):
        """A location without mapping tables of its own uses the global numbers, which these archives do."""
        path = self.complete()
        before = longpole("path", path, "--json").stdout
        (path / "traces" / "1.def").unlink()
        self.assertEqual(longpole("path", path, "--json").stdout, before)

    def test_folder_of_events(self):
        path = self.complete()
        shutil.rmtree(path / "traces")
        text = self.refused(longpole("analyze", path), path)
        result = longpole("analyze", path, "--salvage")
        self.assertIn(result.returncode, (0, 2))
        self.assertTrue(text)


class Truncation(Archives):
    def test_events_at_every_length(self):
        """But for the last byte, which only says that nothing follows."""
        path = self.complete()
        file = path / "traces" / "1.evt"
        whole, pieces = file.read_bytes(), 0
        step = max(1, round(1 / common.SCALE))
        for length in range(0, len(whole) - 1, step):
            file.write_bytes(whole[:length])
            with self.subTest(length=length):
                self.refused(longpole("analyze", path, LONGPOLE_READ_TIMEOUT="5"), path)
                result = longpole("analyze", path, "--salvage", "--json", LONGPOLE_READ_TIMEOUT="5")
                if result.returncode:
                    self.refused(result, path)
                else:
                    answer = common.strict_json(result.stdout)
                    self.assertTrue(answer["reading"]["gaps"])
                    pieces += 1
        self.assertGreater(pieces, 0)

    def test_definitions_at_every_length(self):
        path = self.complete()
        for name in ("traces.def", "traces.otf2", "traces/0.def"):
            file = path / name
            whole = file.read_bytes()
            for length in range(0, len(whole), max(1, round(7 / common.SCALE))):
                file.write_bytes(whole[:length])
                for options in (["--json"], ["--json", "--salvage"]):
                    with self.subTest(file=name, length=length, options=options):
                        result = longpole("analyze", path, *options, LONGPOLE_READ_TIMEOUT="5")
                        if result.returncode:
                            self.refused(result, path)
                        else:
                            common.strict_json(result.stdout)
            file.write_bytes(whole)
        self.answer("analyze", path)


class Unfinished(Archives):
    def test_regions(self):
        path = self.new("0 +f, 5 +g, 10 +h, 12 -", "0 +f, 20 -")
        answer = self.salvaged(path, "2 regions are entered, but never left")
        self.assertEqual(answer["reading"]["unfinished_regions"], 2)
        times = {row["name"]: row["total"] for row in answer["path"]["procedures"]}
        self.assertAlmostEqual(times["f"], 25e-9)

    def test_leave_without_enter(self):
        path = self.work / "stray"
        with otf2.writer.open(str(path), timer_resolution=10 ** 9) as writer:
            define = writer.definitions
            group = define.location_group("process", system_tree_parent=define.system_tree_node("machine"))
            event = writer.event_writer_from_location(define.location("thread", group=group))
            f, g = define.region("f"), define.region("g")
            event.enter(100, f)
            event.leave(110, g)
            event.leave(120, f)
        answer = self.salvaged(path, "1 regions are left, but never entered")
        self.assertEqual(answer["reading"]["stray_leaves"], 1)
        self.assertAlmostEqual(answer["path"]["length"], 20e-9)

    def test_send_without_receive(self):
        answer = self.salvaged(self.new("0 +f, 5 send 1, 10 -", "0 +g, 20 -"), "1 messages are sent, but never received")
        self.assertEqual(answer["reading"]["unmatched_sends"], 1)
        self.assertAlmostEqual(answer["path"]["length"], 20e-9)

    def test_receive_without_send(self):
        answer = self.salvaged(self.new("0 +f, 10 -", "0 +g, 5 recv 0, 20 -"), "1 messages are received, but never sent")
        self.assertEqual(answer["reading"]["unmatched_receives"], 1)
        self.assertEqual(answer["waiting"], 0)

    def test_message_to_nobody(self):
        """A rank that the communicator does not have."""
        answer = self.answer("analyze", self.new("0 +f, 5 send 7, 10 -", "0 +g, 20 -"), "--salvage")
        self.assertAlmostEqual(answer["path"]["length"], 20e-9)

    def test_incomplete_collective(self):
        path = self.new("0 +f, 5 +MPI_Allreduce, 6 begin, 10 allreduce, 11 -, 20 -", "0 +g, 30 -")
        answer = self.salvaged(path, "1 collective operations lack a member")
        self.assertEqual(answer["reading"]["incomplete_collectives"], 1)

    def test_thread_without_end(self):
        path = self.new("0 +f, 2 create 1, 5 +pthread_join, 20 wait 1, 21 -, 21 -", "3 start 2, 3 +work, 17 -", processes="0 0")
        answer = self.salvaged(path, "lack their counterpart")
        self.assertGreater(answer["reading"]["unmatched_others"], 0)

    def test_cycle_of_messages(self):
        """Each receives before it sends what the other receives: clocks or numbers lie."""
        path = self.new("0 +f, 5 recv 1, 10 send 1, 20 -", "0 +g, 5 recv 0, 10 send 0, 20 -")
        self.refused(longpole("path", path), path, "cycle", "location")
        answer = self.answer("path", path, "--salvage")
        self.assertGreater(answer["reading"]["dropped_arcs"], 0)

    def test_names_in_gaps_do_not_command_the_terminal(self):
        path = self.work / "names"
        with otf2.writer.open(str(path), timer_resolution=10 ** 9) as writer:
            define = writer.definitions
            group = define.location_group("process", system_tree_parent=define.system_tree_node("machine"))
            f = define.region("f")
            for name in ("fine", "evil\033[2J\nname"):
                event = writer.event_writer_from_location(define.location(name, group=group))
                event.enter(100, f)
                event.leave(110, f)
        (path / "traces" / "1.evt").unlink()
        self.refused(longpole("path", path), path)
        self.assertNotRegex(self.done(longpole("path", path, "--salvage")), r"[\x00-\x09\x0b-\x1f\x7f]")


class Times(Archives):
    def test_time_stamps_far_off(self):
        """A time stamp of one event that cannot be: no negative times, and the parts still add up."""
        path = self.complete()
        file = path / "traces" / "1.evt"
        whole = file.read_bytes()
        number = lambda place: int.from_bytes(whole[place + 1:place + 9], "little")
        places = [i for i in range(18, len(whole) - 8) if whole[i] == 5 and 100 <= number(i) < 200]
        self.assertGreater(len(places), 5)
        for place in (places[0], places[1], places[len(places) // 2], places[-1]):
            for stamp in (0, 99, 2 ** 32, 2 ** 55, 2 ** 55 + 200, 2 ** 60, 2 ** 62, 2 ** 63 - 1, 2 ** 63, 2 ** 63 + 100,
                          2 ** 63 + 113, 2 ** 63 + 2 ** 54, 2 ** 64 - 1):
                file.write_bytes(whole[:place + 1] + stamp.to_bytes(8, "little") + whole[place + 9:])
                for options in ([], ["--salvage"]):
                    with self.subTest(place=place, stamp=stamp, options=options):
                        result = longpole("analyze", path, "--json", *options)
                        if result.returncode:
                            self.refused(result, path)
                            continue
                        answer, parts = common.strict_json(result.stdout), ("useful", "waiting", "overhead", "absent")
                        for key in parts + ("elapsed",):
                            self.assertGreaterEqual(answer[key], 0, key)
                        total = answer["processors"] * answer["elapsed"]
                        self.assertAlmostEqual(sum(answer[key] for key in parts), total, delta=total * 1e-9)
                        for row in answer["path"]["procedures"]:
                            self.assertLessEqual(0, row["slack"])
                            self.assertLessEqual(row["slack"], row["zeroing"])
                            self.assertLessEqual(row["zeroing"], row["path"])


class Empty(Archives):
    def write(self, locations):
        path = self.work / ("empty%d" % locations)
        with otf2.writer.open(str(path), timer_resolution=10 ** 9) as writer:
            define = writer.definitions
            group = define.location_group("process", system_tree_parent=define.system_tree_node("machine"))
            for i in range(locations):
                writer.event_writer_from_location(define.location("thread %d" % i, group=group))
        return path

    def test_no_location(self):
        self.hopeless(self.write(0), "no CPU thread")

    def test_locations_without_events(self):
        self.hopeless(self.write(3), "no location has any event")

    def test_one_location_of_many_is_empty(self):
        path = self.new("0 +f, 10 -", "0 +g, 0 -")
        answer = self.answer("analyze", path)
        self.assertEqual(answer["processors"], 2)


if __name__ == "__main__":
    common.main()
