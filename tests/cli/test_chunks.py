# SPDX-License-Identifier: BSD-3-Clause
"""How the events lie in their files makes no difference: in one chunk or in many, decoded by us or by the OTF2 library, which
reads a location when it holds a record that our decoder does not know."""
import common
from common import Case, longpole

otf2 = common.otf2_or_skip()
SMALL = 256 * 1024                                # the smallest chunk that OTF2 allows
ROUNDS = 24000


class Chunks(Case):
    def long_trace(self, name, chunk, rounds=ROUNDS):
        """Two ranks that compute and exchange: more events than fit one small chunk."""
        directory = self.work / name
        with otf2.writer.open(str(directory), timer_resolution=10 ** 9, chunk_size_events=chunk) as writer:
            define = writer.definitions
            machine = define.system_tree_node("machine")
            locations = [define.location("rank %d" % i, group=define.location_group("p%d" % i, system_tree_parent=machine))
                         for i in range(2)]
            define.group("all", otf2.GroupType.COMM_LOCATIONS, otf2.Paradigm.MPI, members=tuple(locations))
            group = define.group("world", otf2.GroupType.COMM_GROUP, otf2.Paradigm.MPI, members=tuple(locations))
            world = define.comm("world", group=group)
            regions = [define.region("f%d" % i) for i in range(300)]     # numbers of one byte and of two
            for rank, location in enumerate(locations):
                event, time = writer.event_writer_from_location(location), 1000
                for i in range(rounds):
                    region, time = regions[i * (rank + 1) % 300], time + i % 7 + rank
                    event.enter(time, region)
                    if i % 10 == 0:
                        (event.mpi_send if rank == i // 10 % 2 else event.mpi_recv)(time + 2, 1 - rank, world, i % 300, i)
                    time += 3
                    event.leave(time, region)
        return directory

    def test_many_chunks(self):
        answers = {}
        for name, chunk in (("small", SMALL), ("odd", SMALL + 4096), ("large", 8 * SMALL)):
            directory = self.long_trace(name, chunk)
            if chunk == SMALL:
                self.assertGreater((directory / "traces" / "0.evt").stat().st_size, SMALL)
            answers[name] = self.answer("analyze", directory)
            self.assertEqual(answers[name]["reading"]["events"], 2 * (2 * ROUNDS + ROUNDS // 10))
        self.assertEqual(answers["small"], answers["large"])
        self.assertEqual(answers["odd"], answers["large"])

    def test_decoder_and_library_agree(self):
        import random_trace
        sets = (["p2p", "nonblocking", "collective"], ["forkjoin", "barrier", "task", "lock"], ["createwait", "lock"],
                ["ssend", "nonblocking", "nbcollective"], random_trace.FEATURES)
        for seed in range(max(5, round(15 * common.SCALE))):
            answers = []
            for extra in (False, True):
                directory = self.work / ("%d-%s" % (seed, extra))
                with otf2.writer.open(str(directory), timer_resolution=10 ** 9) as archive:
                    program = random_trace.Program(archive, seed, 3, 2, sets[seed % len(sets)])
                    program.run(40)
                    for thread in (t for p in program.processes for t in p.threads if t.events and extra):
                        parameter = archive.definitions.parameter("unknown to the decoder", otf2.ParameterType.UINT64)
                        thread.events.append(("parameter_unsigned_int", thread.events[-1][1], (parameter, 5)))
                    program.write()
                answers.append(self.answer("analyze", directory, "--salvage"))
            for answer in answers:
                for key in ("events", "unmodelled"):
                    del answer["reading"][key]
            with self.subTest(seed=seed):
                self.assertEqual(*answers)

    def test_record_over_the_end_of_a_full_chunk(self):
        """The last record says that it ends with the chunk, but its fields want more bytes."""
        directory = self.work / "over"
        with otf2.writer.open(str(directory), timer_resolution=10 ** 9, chunk_size_events=SMALL) as writer:
            define = writer.definitions
            group = define.location_group("process", system_tree_parent=define.system_tree_node("machine"))
            event, f = writer.event_writer_from_location(define.location("thread", group=group)), define.region("f")
            event.enter(100, f)
            event.leave(200, f)
        file = directory / "traces" / "0.evt"
        header, time = file.read_bytes()[:18], b"\x05" + (100).to_bytes(8, "little")
        for tail in (bytes([86, 4, 0, 0, 0, 8]), bytes([15, 4, 0, 0, 0, 8]), bytes([86, 0]), bytes([23]), bytes([12]), bytes([5])):
            room = SMALL - len(header) - len(tail)
            filling = time * (room // 9) + bytes([12, 1, 0] * 3)[:room % 9 // 3 * 3] + (b"\x0c\x00" if room % 3 == 2 else b"")
            filling = filling if room % 3 != 1 else filling[9:] + bytes([12, 0] * 5)
            content = (header + filling)[:SMALL - len(tail)] + tail
            self.assertEqual(len(content), SMALL)
            file.write_bytes(content)
            for options in ([], ["--salvage"]):
                result = longpole("path", directory, "--json", *options, LONGPOLE_READ_TIMEOUT="5")
                with self.subTest(tail=tail, options=options):
                    if result.returncode:
                        self.refused(result, directory)
                    else:
                        self.done(result)


if __name__ == "__main__":
    common.main()
