# SPDX-License-Identifier: BSD-3-Clause
"""Damaged OTF2 archives: random bytes of random files changed, cut, repeated or lost. Whatever they say, the program ends in
time with exit 0 and valid JSON, or with exit 2 and one line.

    LONGPOLE=... python3 test_mutations.py                        as CTest does: a fixed set of cases
    LONGPOLE=... python3 test_mutations.py hunt FIRST COUNT KEEP  looks for more; what fails stays in the folder KEEP

With the sanitizers a report that blames the OTF2 library is a crash of that library, which the program survives without them;
any other report is ours.
"""
import random
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import common
from common import Case, longpole, strict_json

common.otf2_or_skip()

CASES = max(40, round(300 * common.SCALE))
BASES = (("p2p", "collective"), ("forkjoin", "barrier", "lock", "task"), ("p2p", "nonblocking", "nbcollective", "ssend"),
         ("createwait", "lock", "context"), ("p2p", "collective", "skew"))


def make_bases(folder):
    return [common.random_archive(folder / ("base%d" % i), i + 11, ranks=2, threads=2, steps=25, features=list(features))
            for i, features in enumerate(BASES)]


# ---- damage ----------------------------------------------------------------------------------------

def damage(data, rng):
    """One change of some bytes."""
    data, place = bytearray(data), rng.randrange(max(1, len(data)))
    kind, length = rng.randrange(9), rng.choice((1, 1, 2, 4, 8, 16))
    if kind == 0 and data:
        data[place] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[place:place + 1] = bytes([rng.choice((0, 1, 0x7f, 0x80, 0xfe, 0xff, rng.randrange(256)))])
    elif kind == 2:
        data[place:place + length] = bytes(rng.randrange(256) for _ in range(length))
    elif kind == 3:
        data[place:place + length] = rng.choice((b"\0", b"\xff")) * length
    elif kind == 4:
        del data[place:]
    elif kind == 5:
        del data[place:place + length]
    elif kind == 6:
        data[place:place] = bytes(rng.randrange(256) for _ in range(length))
    elif kind == 7:
        data[place:place] = data[place:place + rng.choice((length, 40))]
    else:
        other = rng.randrange(max(1, len(data)))
        data[place:place + length], data[other:other + length] = data[other:other + length], data[place:place + length]
    return bytes(data)


def mutate(base, target, seed):
    """A copy of an archive with one to three changes; answers what was changed."""
    rng, changed = random.Random(seed), []
    shutil.copytree(base, target)
    files = sorted(p for p in target.rglob("*") if p.is_file())
    events = [p for p in files if p.suffix == ".evt" and p.stat().st_size > 20]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        what = rng.random()           # the anchor is short, and the library can take seconds to refuse a damaged one
        file = rng.choice(events if what < 0.65 else [target / "traces.def"] if what < 0.93 else files)
        if rng.random() < 0.02:
            file.write_bytes(b"")
        else:
            file.write_bytes(damage(file.read_bytes(), rng))
        changed.append(str(file.relative_to(target)))
    return changed


# ---- judgement -------------------------------------------------------------------------------------

def blames_library(report):
    """Whether the innermost frame of a sanitizer's report that is not the sanitizer's or the C library's is OTF2's."""
    for line in report.splitlines():
        frame = re.match(r"\s*#\d+ 0x[0-9a-f]+ (.*)", line)
        if frame and re.search(r"libotf2|libopen-trace-format2", frame[1]):
            return True
        if frame and re.search(r"/src/(base|model|input|analysis|report|cli)/", frame[1]):
            return False
    return False


def wrong_with(result, archive):
    """What is wrong with an answer, or None."""
    text = result.stderr.decode(errors="replace")
    if result.returncode == 99 and common.SANITIZER and blames_library(text):
        return None
    if result.returncode == 0:
        if text:
            return "exit 0, but stderr has: " + text
        try:
            answer = strict_json(result.stdout)
        except ValueError as error:
            return "not JSON: %s" % error
        reading = answer["reading"]
        if not reading["clock_violations"] and answer["path"]["length"] > answer["elapsed"] * (1 + 1e-9):
            return "the path is longer than the run"
        if min([answer["elapsed"], answer["waiting"], answer["useful"]] + [w["time"] for w in answer["waits"]]) < 0:
            return "negative times"
        return None
    if result.returncode != 2:
        return "exit %d: %s" % (result.returncode, text)
    if not re.fullmatch(r"longpole: [^\n]+\n", text) or str(archive) not in text:
        return "not one line that names the archive: " + text
    return "exit 2, but stdout has: %r" % result.stdout[:200] if result.stdout else None


def try_case(bases, folder, seed):
    """Answers (outcomes, complaints) of one mutation, without and with --salvage."""
    archive, outcomes, complaints = folder / ("case%d" % seed), [], []
    changed = mutate(bases[seed % len(bases)], archive, seed)
    for options in ([], ["--salvage"]):
        try:
            result = longpole("analyze", archive, "--json", *options, timeout=60, LONGPOLE_READ_TIMEOUT="5")
        except common.subprocess.TimeoutExpired:
            complaints.append("hangs")
            continue
        wrong = wrong_with(result, archive)
        if wrong:
            complaints.append("seed %d, %s changed, %s: %s" % (seed, ", ".join(changed), " ".join(options), wrong))
        crash = re.search(rb"crashed|no progress|killed", result.stderr)
        outcomes.append(crash[0].decode() if crash else "exit %d" % result.returncode)
    if not complaints:
        shutil.rmtree(archive)
    return outcomes, complaints


def try_all(folder, first, count):
    bases, tally, complaints = make_bases(folder), {}, []
    with ThreadPoolExecutor(2) as pool:
        for outcomes, wrong in pool.map(lambda seed: try_case(bases, folder, seed), range(first, first + count)):
            complaints += wrong
            for outcome in outcomes:
                tally[outcome] = tally.get(outcome, 0) + 1
    print("%d mutations: %s" % (count, ", ".join("%s %d times" % item for item in sorted(tally.items()))))
    return complaints


class Mutations(Case):
    def test_mutations(self):
        complaints = try_all(self.work, 0, CASES)
        self.assertFalse(complaints, "\n" + "\n".join(complaints[:20]))


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "hunt":
        keep = Path(sys.argv[4])
        keep.mkdir(parents=True, exist_ok=True)
        found = try_all(Path(tempfile.mkdtemp(dir=keep)), int(sys.argv[2]), int(sys.argv[3]))
        print("\n".join(found) or "nothing found")
        sys.exit(bool(found))
    common.main()
