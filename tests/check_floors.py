# SPDX-License-Identifier: BSD-3-Clause
"""Checks that no file includes what is above it, and that files stay short enough to read.

    python3 check_floors.py SOURCE_DIRECTORY

Floors, lowest first: base; model; input, analysis, predict; report, collect; cli. Nothing reaches up, folders of one floor do
not include each other, and reports know results only through the public headers.
"""
import re
import sys
from pathlib import Path

# folder -> the folders whose private headers it may include, besides its own.
FLOORS = {
    "base": set(),
    "model": {"base"},
    "input": {"base", "model"},
    "analysis": {"base", "model"},
    "predict": {"base", "model"},
    "report": {"base"},
    "collect": {"base", "model", "input", "analysis", "predict"},
    "cli": {"base", "model", "input", "analysis", "predict", "report", "collect"},
}
# The floor that a public header belongs to; who may not include that folder may not include the header either, but for
# reports and the command line, which live on the public interface.
PUBLIC = {"status": "base", "execution": "model", "input": "input", "analysis": "analysis", "predict": "predict"}
FREE = {"report", "cli"}
LINES_MAX = 800
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def wrong_includes(path, folder, allowed):
    for name in INCLUDE.findall(path.read_text()):
        first, _, rest = name.partition("/")
        if not rest:
            if not (path.parent / name).is_file():
                yield 'includes "%s", which is not in its folder: name the folder' % name
        elif first == "longpole":
            floor = PUBLIC.get(rest.removesuffix(".h"))
            if floor is None:
                yield 'includes "%s": which floor is that? (PUBLIC in check_floors.py)' % name
            elif folder not in FREE and floor not in allowed:
                yield 'includes "%s" of %s, which is not below %s' % (name, floor, folder)
        elif first not in FLOORS:
            yield 'includes "%s" of an unknown folder' % name
        elif first not in allowed:
            yield 'includes "%s", but %s is not below %s' % (name, first, folder)


def check(source):
    complaints = []
    for path in sorted((source / "src").rglob("*.[ch]")):
        name, folder = path.relative_to(source), path.relative_to(source / "src").parts[0]
        if folder not in FLOORS:
            complaints.append("%s: the folder has no floor (FLOORS in check_floors.py)" % name)
            continue
        allowed = FLOORS[folder] | {folder}
        complaints += ["%s: %s" % (name, text) for text in wrong_includes(path, folder, allowed)]
    for path in sorted((source / "include").rglob("*.h")):
        own = PUBLIC.get(path.stem)
        allowed = FLOORS.get(own, set()) | {own}
        complaints += ["%s: %s" % (path.relative_to(source), text) for text in wrong_includes(path, own, allowed)]
    for top in ("src", "include", "bench", "examples", "tests"):
        for path in sorted((source / top).rglob("*")):
            if path.suffix in (".c", ".h", ".py") and path.is_file():
                lines = len(path.read_text(errors="replace").splitlines())
                if lines >= LINES_MAX:
                    complaints.append("%s: %d lines, %d are too many" % (path.relative_to(source), lines, LINES_MAX))
    return complaints


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_floors.py SOURCE_DIRECTORY")
    complaints = check(Path(sys.argv[1]))
    print("\n".join(complaints) or "all includes go down, all files are short enough")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
