#!/usr/bin/env python3
"""tests/format/rules.py finds each fault that is planted here, and none in a sound project.

usage: test_rules.py
"""

import pathlib
import sys
import tempfile

import rules

PAGE = "- **W1.** A writer MUST write.\n\n- **R1.** A reader MUST read.\n- **R2.** A reader MAY rest, as W1 and R1 say.\n- **C1.** A checker MUST check.\n"
SOURCE = "/* FORMAT W1, C1 */\nstatic void test_all(void)\n{\n}\n"
SCRIPT = "def run():\n    # FORMAT R1\n    return FORMAT\n"
UNTESTED = "# Rules without a test.\n\nR2: a permission\n"
SOUND = {"docs/FORMAT.md": PAGE, "tests/unit/test-all.c": SOURCE, "tests/reader/run.py": SCRIPT, "tests/format/untested-rules.txt": UNTESTED}

# (file, its text before, its text after, the fault)
PLANTED = [
    ("docs/FORMAT.md", "**R2.**", "**R1.**", "FORMAT.md: R1 is given out twice"),
    ("docs/FORMAT.md", "**R1.**", "**R3.**", "FORMAT.md: R1 is left out"),
    ("docs/FORMAT.md", "- **C1.** A", "- **C1.** A\n- **C2.** A", "FORMAT.md: no test names C2, and untested-rules.txt does not list it"),
    ("docs/FORMAT.md", "- **W1.** A", "A", "tests/unit/test-all.c:1: there is no rule W1 in FORMAT.md"),
    ("tests/unit/test-all.c", "W1, C1", "W1", "FORMAT.md: no test names C1, and untested-rules.txt does not list it"),
    ("tests/unit/test-all.c", "W1, C1", "W1, C1, W9", "tests/unit/test-all.c:1: there is no rule W9 in FORMAT.md"),
    ("tests/unit/test-all.c", "W1, C1", "W1 and C1", "tests/unit/test-all.c:1: a reference to rules is not a comment of its own, with numbers joined by commas"),
    ("tests/reader/run.py", "return FORMAT", "return FORMAT # FORMAT R1",
     "tests/reader/run.py:3: a reference to rules is not a comment of its own, with numbers joined by commas"),
    ("tests/reader/run.py", "R1", "R1, R2", "tests/reader/run.py:2: a test names R2, and untested-rules.txt lists it"),
    ("tests/format/untested-rules.txt", "R2: a permission", "R2: ", "untested-rules.txt:3: a line is not RULE: REASON"),
    ("tests/format/untested-rules.txt", "R2: a", "R2: a\nR2: a", "untested-rules.txt:4: R2 is listed twice"),
    ("tests/format/untested-rules.txt", "R2: a", "R2: a\nW8: a", "untested-rules.txt: there is no rule W8 in FORMAT.md"),
]  # yapf: disable


def faults_of(files):
    with tempfile.TemporaryDirectory(prefix="xtf-rules-") as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return rules.check(pathlib.Path(folder))


def main():
    numbers, tested, faults = faults_of(SOUND)
    if (numbers, tested, faults) != ({"W1", "R1", "R2", "C1"}, {"W1", "R1", "C1"}, []):
        sys.exit(f"FAILED: a sound project has {numbers}, {tested}, {faults}")
    for name, before, after, fault in PLANTED:
        if SOUND[name].count(before) != 1:
            sys.exit(f"FAILED: {before!r} is not once in {name}")
        found = faults_of({**SOUND, name: SOUND[name].replace(before, after)})[2]
        if fault not in found:
            sys.exit(f"FAILED: {after!r} in {name} gives {found}, not {fault!r}")
    print(f"{len(PLANTED)} planted faults")


if __name__ == "__main__":
    main()
