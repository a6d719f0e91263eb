#!/usr/bin/env python3
"""Counts hard words and sentences of each room, and compares the counts with budgets that may only fall.

A room is a folder of libxtf, src or python, the whole of tests, or a document. The checks:

sentence   a sentence of more than 25 words, in a comment or a document
long-line  a line of a document over 100 columns; tables, code and the targets of links are exempt
comment    a comment directly before a function that does not begin with a verb in the third person, "True if" or "False if".
           scripts/verbs.txt lists the verbs; add a new verb there. The check is a heuristic.
verb-name  a static function whose name is one verb, without a noun: begin, find, take
pronoun    an identifier that is a pronoun or a soft word: mine, less, told; counted once a file
dialect    in a comment: a word of DIALECT, or a fragment that begins with Of, What, That, Those or Whether
shared     a static function whose name is in more than three files, so that its name in a backtrace does not identify it

tests/words-budget.txt has a line for each room and check: the budget. The test fails if more are found. If fewer are found, the
test recommends --write, which lowers the budget. --write never raises a budget.

usage: words.py [PROJECT] [--list ROOM [CHECK]] [--write]
"""

import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys

WORDS, COLUMNS, FILES, SHOWN = 25, 100, 3, 20

PRONOUNS = set("""mine theirs ours hers less is other others both alone when how who whose told patience rest rests marks passing those these such what
    why where late somebody nobody nothing everything""".split())
DIALECT = re.compile(
    r"\b(?:those|so many|as many|tells?|told|whoever|whatever|the late one|(?:somebody|nobody|everybody)|comes?(?! from\b)|belongs?|stands?"
    r"|goes? on|make do|(?:of|by|from|with|for|to|than|and) what|of oneself)\b", re.IGNORECASE)
FRAGMENT = re.compile(r"(?:Of|What|That|Those|Whether|Such)\b")

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
PYTHON = re.compile(r'""".*?"""|(?:^[ \t]*#(?!!)[^\n]*\n)+|[ \t]#[ \t][^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL | re.MULTILINE)
SENTENCE = re.compile(r"(?<=[.!?])[\"')\]*]*\s+(?=[^a-z\s])|[.!?:]?[ \t*#]*\n[ \t*#]*\n|\n[ \t*]*(?=(?:[-*]|\d+\.)[ ])|\|")
# The first line of a function: at the left edge, its name before a parenthesis, and no `=` before that.
FUNCTION = re.compile(r"(?:[a-z_A-Z]\w*[ *]+)+?\**(?P<name>[a-z_]\w*)\(")
STATIC = re.compile(r"^static (?:inline )?(?:\w+[ *]+)+(?P<name>[a-z_]\w*)\((?![^;{]*;)", re.MULTILINE)
LINK = re.compile(r"https?://\S+|(?<=\]\()[^)]*")

Found = collections.namedtuple("Found", "room check file line text")


def room_of(path):
    """Returns the room of a file: its folder, tests, or the document."""
    if path.startswith("tests/"):
        return "tests"
    return path if path.endswith(".md") else str(pathlib.PurePosixPath(path).parent)


def read_files(project):
    """Returns the texts of all files that are checked: {path: text}."""
    patterns = ["libxtf/**/*.[ch]", "src/**/*.[ch]", "src/**/*.py", "tests/**/*.[ch]", "tests/**/*.py", "python/**/*.py", "docs/*.md", "*.md"]
    files = sorted({file for pattern in patterns for file in project.glob(pattern)})
    return {file.relative_to(project).as_posix(): file.read_text() for file in files}


def read_verbs(project):
    lines = (project / "scripts" / "verbs.txt").read_text().splitlines()
    return {verb for line in lines if not line.startswith("#") for verb in line.split()}


def third_person(verb):
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if re.search(r"(?:s|x|z|ch|sh|o)$", verb) else "s")


def comments_of(text, token):
    """Returns the comments of a source with their places, and the source with blanks instead of comments and strings."""
    comments = []

    def at_edge(place):
        return not text[text.rfind("\n", 0, place) + 1:place].strip()

    def blank_match(match):
        whole = match[0]
        if whole.startswith("/") or whole.lstrip().startswith("#") or whole.startswith('"""') and at_edge(match.start()):
            # Blanks replace the stars at the left of a comment's lines, which are not bullets of a list.
            comments.append((match.start(), re.sub(r"(?m)^[ \t]*\*(?!/)", lambda star: " " * len(star[0]), whole)))
        return re.sub(r"[^\n]", " ", whole)

    return comments, token.sub(blank_match, text)


def sentences_of(text):
    """Returns the sentences of prose with their places in it."""
    start = 0
    for match in [*SENTENCE.finditer(text), None]:
        end = match.start() if match else len(text)
        sentence = text[start:end]
        if sentence.strip():
            yield start + len(sentence) - len(sentence.lstrip(" \t\n*/#\"")), sentence.strip(" \t\n*/#\"")
        start = match.end() if match else end


def too_long(sentence):
    return sum(any(c.isalnum() for c in word) for word in re.sub(r"`[^`]*`", "code", sentence).split()) > WORDS


def prose_of(document):
    """Returns a document with blank lines instead of its code."""
    lines, fenced = [], False
    for line in document.split("\n"):
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        code = fence or fenced or line.startswith("    ") or line.startswith("<!--")
        lines.append(" " * len(line) if code else line)
    return "\n".join(lines)


def check_document(path, text):
    prose = prose_of(text)
    for place, sentence in sentences_of(prose):
        if too_long(sentence):
            yield "sentence", place, sentence
    place = 0
    for line in prose.split("\n"):
        if len(LINK.sub("", line.rstrip())) > COLUMNS and not line.lstrip().startswith("|"):
            yield "long-line", place, line
        place += len(line) + 1


def check_comments(comments):
    for start, comment in comments:
        for place, sentence in sentences_of(comment):
            if too_long(sentence):
                yield "sentence", start + place, sentence
            for match in [*DIALECT.finditer(sentence), *([] if sentence.endswith("?") else [FRAGMENT.match(sentence)])]:
                if match:
                    yield "dialect", start + place, f"{match[0]}: {sentence}"


def check_functions(text, comments, verbs):
    """Finds comments of functions that do not begin with a verb."""
    for start, comment in comments:
        end = start + len(comment)
        at_edge = start == 0 or text[start - 1] == "\n"
        if at_edge and text[end:end + 1] == "\n" and FUNCTION.match(text, end + 1):
            words = comment.strip("/* \n").split()
            if words and words[0].rstrip(",.:;").lower() not in verbs and words[:2] not in (["True", "if"], ["False", "if"]):
                yield "comment", start, comment


def check_source(path, text, verbs, shared):
    """Finds the faults of a source; `verbs` are {verb: its third person}."""
    comments, code = comments_of(text, PYTHON if path.endswith(".py") else TOKEN)
    yield from check_comments(comments)
    if path.endswith(".py"):
        return
    yield from check_functions(text, comments, set(verbs.values()))
    for match in STATIC.finditer(code):
        if match["name"] in verbs:
            yield "verb-name", match.start(), match["name"]
        if match["name"] in shared:
            yield "shared", match.start(), match["name"]
    seen = set()
    for match in re.finditer(r"\b[a-z]\w*\b", code):
        if match[0] in PRONOUNS and match[0] not in seen:
            seen.add(match[0])
            yield "pronoun", match.start(), match[0]


def shared_names(texts):
    """Returns the names of static functions that are in more than FILES sources."""
    files = collections.defaultdict(set)
    for path, text in texts.items():
        if path.endswith((".c", ".h")):
            for match in STATIC.finditer(text):
                files[match["name"]].add(path)
    return {name for name, paths in files.items() if len(paths) > FILES}


def find_all(texts, verbs):
    """Returns the faults of all files, in the order of their paths."""
    shared = shared_names({path: text for path, text in texts.items() if not path.startswith("tests/")})
    found, verbs = [], {verb: third_person(verb) for verb in verbs}
    for path, text in texts.items():
        in_tests = path.startswith("tests/")
        faults = check_document(path, text) if path.endswith(".md") else check_source(path, text, verbs, set() if in_tests else shared)
        for check, place, excerpt in faults:
            found.append(Found(room_of(path), check, path, text.count("\n", 0, place) + 1, " ".join(excerpt.split())))
    return found


def read_budget(file):
    """Returns the budget: {(room, check): count}."""
    lines = [line.split() for line in file.read_text().splitlines() if line and not line.startswith("#")] if file.exists() else []
    return {(room, check): int(count) for room, check, count in lines}


def write_budget(file, budget):
    """Writes a budget with an empty line between rooms, so that git merges changes of two rooms."""
    rooms = collections.defaultdict(list)
    for (room, check), count in sorted(budget.items()):
        rooms[room].append(f"{room} {check} {count}\n")
    file.write_text("# room, check, how many there may be: tests/words.py --write lowers them.\n\n" + "\n".join("".join(lines) for lines in rooms.values()))


def lower_budget(budget, counts):
    """Returns a budget lowered to the counts, without lines of the count 0."""
    return {key: min(count, counts[key]) for key, count in budget.items() if counts[key]}


def compare(found, budget, changed=()):
    """Returns complaints of counts above their budgets, lines about counts below them, and the counts. Lines of changed files are first."""
    counts = collections.Counter((one.room, one.check) for one in found)
    over, below = [], []
    for key in sorted(set(counts) | set(budget)):
        limit = budget.get(key, 0)
        if counts[key] > limit:
            over.append(f"FAILED: {key[0]}: {key[1]}: {counts[key]} found, and the budget is {limit}; tests/words.py --list {key[0]} {key[1]}:")
            lines = sorted((one for one in found if (one.room, one.check) == key), key=lambda one: one.file not in changed)
            over += [f"    {one.file}:{one.line}: {one.text[:160]}" for one in lines[:SHOWN]]
        elif counts[key] < limit:
            below.append(f"{key[0]}: {key[1]}: {counts[key]} found, and the budget is {limit}")
    return over, below, counts


def changed_files(project):
    """Returns the files that have changed since the last commit of the budget; none without git."""

    def run_git(*arguments):
        if not shutil.which("git"):
            return []
        return subprocess.run(["git", "-C", project, *arguments], capture_output=True, text=True, check=False).stdout.split()

    last = run_git("log", "-1", "--format=%H", "--", "tests/words-budget.txt")
    return {*run_git("diff", "--name-only", *last), *run_git("ls-files", "--others", "--exclude-standard")} if last else set()


def main():
    here = pathlib.Path(__file__).resolve()
    parser = argparse.ArgumentParser(usage=__doc__.rpartition("usage: ")[2])
    parser.add_argument("project", nargs="?", type=pathlib.Path, default=here.parent.parent)
    parser.add_argument("--list", nargs="+", metavar="ROOM")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    project, budget_file = arguments.project, arguments.project / "tests" / "words-budget.txt"
    found = find_all(read_files(project), read_verbs(project))
    if arguments.list:
        room, checks = arguments.list[0].rstrip("/"), arguments.list[1:]
        for one in found:
            if (one.room == room or one.room.startswith(room + "/")) and (not checks or one.check in checks):
                print(f"{one.file}:{one.line}: {one.check}: {one.text}")
        return 0
    budget = read_budget(budget_file)
    over, below, counts = compare(found, budget, changed_files(project))
    if arguments.write:
        write_budget(budget_file, lower_budget(budget, counts))
    print("\n".join(over))
    if below and not arguments.write:
        print(f"{len(below)} budgets are higher than the counts: run tests/words.py --write\n    " + "\n    ".join(below))
    totals = collections.Counter(one.check for one in found)
    print(", ".join(f"{check} {totals[check]}" for check in sorted(totals)))
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
