#!/usr/bin/env python3
"""Compares the numbered rules of docs/FORMAT.md with the tests that name them.

A rule is a bullet that begins with its number: `- **W7.** A writer MUST ...`. W is for writers, R for readers, C for checkers. A test
names the rules that it checks in a comment on a line of its own: FORMAT and the numbers, joined by commas. The file untested-rules.txt
lists the rules without a test, each with a reason. The check fails for

- a number that is given out twice or left out,
- a rule that neither a test nor the list names,
- a test or the list that names a rule that does not exist,
- a rule that both name, or the list names twice,
- a rule of the list without a reason.

usage: rules.py [PROJECT]
"""

import collections
import pathlib
import re
import sys

SOURCES = {".c", ".h", ".py", ".sh", ".js"}
OWN = {"tests/format/rules.py", "tests/format/test_rules.py"}

RULE = re.compile(r"^- \*\*([WRC])(\d+)\.\*\* ", re.MULTILINE)
NUMBER = r"[WRC]\d+"
NAMED = re.compile(rf"^.*\bFORMAT {NUMBER}.*$", re.MULTILINE)
COMMENT = re.compile(rf"\s*(?:/\*|#|//) FORMAT ({NUMBER}(?:, {NUMBER})*)(?: \*/)?")
LISTED = re.compile(rf"({NUMBER}): (\S.*)")


def read_rules(text):
    """Returns the numbers of the rules, and faults of their numbers."""
    numbers = collections.defaultdict(list)
    for letter, number in RULE.findall(text):
        numbers[letter].append(int(number))
    faults = []
    for letter, found in numbers.items():
        faults += [f"FORMAT.md: {letter}{n} is given out twice" for n, times in collections.Counter(found).items() if times > 1]
        faults += [f"FORMAT.md: {letter}{n} is left out" for n in range(1, max(found)) if n not in found]
    return {f"{letter}{n}" for letter, found in numbers.items() for n in found}, faults


def read_references(project):
    """Returns the places in tests that name each rule, and faults of the comments."""
    places, faults = collections.defaultdict(list), []
    for file in sorted((project / "tests").rglob("*")):
        name = file.relative_to(project).as_posix()
        if file.suffix not in SOURCES or name in OWN:
            continue
        text = file.read_text(encoding="utf-8")
        for line in NAMED.finditer(text):
            place = f"{name}:{text.count(chr(10), 0, line.start()) + 1}"
            comment = COMMENT.fullmatch(line[0])
            if not comment:
                faults.append(f"{place}: a reference to rules is not a comment of its own, with numbers joined by commas")
                continue
            for rule in comment[1].split(", "):
                places[rule].append(place)
    return places, faults


def read_untested(file):
    """Returns the rules of the list, and faults of its lines."""
    rules, faults = set(), []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = LISTED.fullmatch(line)
        if not match:
            faults.append(f"{file.name}:{number}: a line is not RULE: REASON")
        elif match[1] in rules:
            faults.append(f"{file.name}:{number}: {match[1]} is listed twice")
        else:
            rules.add(match[1])
    return rules, faults


def sort_key(rule):
    return "WRC".index(rule[0]), int(rule[1:])


def check(project):
    """Returns the rules, the rules that tests name, and all faults."""
    rules, faults = read_rules((project / "docs" / "FORMAT.md").read_text(encoding="utf-8"))
    places, more = read_references(project)
    untested, still_more = read_untested(project / "tests" / "format" / "untested-rules.txt")
    faults += more + still_more
    for rule in sorted(rules | places.keys() | untested, key=sort_key):
        if rule not in rules:
            faults.append(f"{', '.join(places.get(rule, ['untested-rules.txt']))}: there is no rule {rule} in FORMAT.md")
        elif rule in untested and rule in places:
            faults.append(f"{places[rule][0]}: a test names {rule}, and untested-rules.txt lists it")
        elif rule not in untested and rule not in places:
            faults.append(f"FORMAT.md: no test names {rule}, and untested-rules.txt does not list it")
    return rules, rules & places.keys(), faults


def main():
    project = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    rules, tested, faults = check(project)
    for fault in faults:
        print(f"FAILED: {fault}")
    counts = collections.Counter(rule[0] for rule in rules), collections.Counter(rule[0] for rule in tested)
    print(", ".join(f"{letter}: {counts[1][letter]} of {counts[0][letter]} tested" for letter in "WRC"))
    return 1 if faults or not rules else 0


if __name__ == "__main__":
    sys.exit(main())
