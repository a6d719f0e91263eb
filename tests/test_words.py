#!/usr/bin/env python3
"""Tests that tests/words.py finds the planted faults by check and line, and no others, and that it enforces budgets.

usage: test_words.py
"""

import pathlib
import sys
import tempfile

import words

LONG = "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty " \
       "and here six more words follow"

SOURCE = f"""/* Sources have a head.

   {LONG}. A short one. */

/* Returns the sum of a and b. */
int xtf_sum(int a, int b);

/* The sum of a and b. */
int xtf_other_sum(int a, int b);

/* True if a is 0; a string: "those". */
static bool is_zero(int a)
{{
    const char *text = "mine, theirs and those";
    int mine = a; /* what those rows are */
    return mine == 0;
}}

/* Of no node. */
struct Node {{
    int id;
}};

static int take(int a)
{{
    return mine_of(a); /* read from the page */
}}

static int write_rows(int a)
{{
    return a;
}}
"""

DOCUMENT = f"""# Title

{LONG[:40]}
{LONG[41:]} today. Short. `{'code ' * 40}`

| {'cell ' * 30} | {'x ' * 5} |

    {'code ' * 40}

{'-' * 101}
[link](https://example.org/{'x' * 100})
"""

EXPECTED = [
    ("docs/PAGE.md", "long-line", 10), ("docs/PAGE.md", "long-line", 4), ("docs/PAGE.md", "sentence", 3), ("docs/PAGE.md", "sentence", 6),
    ("libxtf/a/a.c", "comment", 8), ("libxtf/a/a.c", "dialect", 11), ("libxtf/a/a.c", "dialect", 15), ("libxtf/a/a.c", "dialect", 19),
    ("libxtf/a/a.c", "pronoun", 15), ("libxtf/a/a.c", "sentence", 3), ("libxtf/a/a.c", "shared", 29), ("libxtf/a/a.c", "verb-name", 24),
    *((f"libxtf/a/{name}.c", "shared", 1) for name in "bcd"), ("tests/a.py", "dialect", 2), ("tests/a.py", "sentence", 6),
]  # yapf: disable

PYTHON = f"""text = '''x''' + "those"
# The rows of those.
DATA = {{"a": 1}}

def read():
    \"\"\"{LONG}.\"\"\"
    return "comes"
"""


def plant_files():
    """Returns the planted files: {path: text}."""
    same = "static int write_rows(int a)\n{\n    return a;\n}\n"
    return {"libxtf/a/a.c": SOURCE, **{f"libxtf/a/{name}.c": same for name in "bcd"}, "docs/PAGE.md": DOCUMENT, "tests/a.py": PYTHON}


def check_budgets(found):
    """Returns complaints of budgets that are not enforced, or rise."""
    exact = {}
    for one in found:
        exact[one.room, one.check] = exact.get((one.room, one.check), 0) + 1
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "budget.txt"
        words.write_budget(file, exact)
        if words.read_budget(file) != exact:
            yield "a budget that was written is read differently"
    if words.compare(found, exact)[:2] != ([], []):
        yield "counts equal to their budgets are complained of, or called lower"
    for key in exact:
        lower, higher = exact | {key: exact[key] - 1}, exact | {key: exact[key] + 1}
        over = words.compare(found, lower)[0]
        if not over or not over[0].startswith(f"FAILED: {key[0]}: {key[1]}: "):
            yield f"a count above the budget of {key} is not a failure"
        if words.compare(found, higher)[0] or len(words.compare(found, higher)[1]) != 1:
            yield f"a count below the budget of {key} is a failure, or not reported alone"
        if words.lower_budget(lower, words.compare(found, lower)[2]) != lower or words.lower_budget(higher, words.compare(found, higher)[2]) != exact:
            yield f"the budget of {key} is not lowered, or is raised"
    if words.lower_budget({("gone", "comment"): 3}, words.compare([], {})[2]):
        yield "the budget of a room that does not exist is kept"


def main():
    project = pathlib.Path(words.__file__).resolve().parent.parent
    found = words.find_all(plant_files(), words.read_verbs(project))
    seen = sorted((one.file, one.check, one.line) for one in found)
    faults = [f"planted, not found: {one}" for one in EXPECTED if one not in seen]
    faults += [f"found, not planted: {one}" for one in seen if one not in EXPECTED]
    faults += [f"found {seen.count(one)} times: {one}" for one in set(seen) if seen.count(one) > 1]
    faults += check_budgets(found)
    if len(words.read_files(project)) < 1000:
        faults.append("fewer than 1000 files are read")
    for fault in faults:
        print(f"FAILED: {fault}")
    return bool(faults)


sys.exit(main())
