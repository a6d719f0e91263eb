#!/usr/bin/env python3
"""Checks that docs/ARCHITECTURE.md names files that exist and has the drawings of scripts/draw-architecture.py. Each word of
docs/GLOSSARY.md must be used in another file.

usage: test_architecture.py PROJECT
"""

import pathlib
import re
import subprocess
import sys
import tempfile

DRAWINGS = ["house.svg", "path.svg", "event.svg"]
# Paths in backquotes, and targets of links.
NAMED = re.compile(r"`((?:libxtf|src|tests|docs|scripts|examples)/[\w./*-]*)`|\]\(([^)#:]+)[^)]*\)")


def missing_files(project, page):
    """Returns the names of files in a page that do not exist."""
    names = [(match[1], project) if match[1] else (match[2], page.parent) for match in NAMED.finditer(page.read_text())]
    if len(names) < 40:
        return [f"{page} names {len(names)} files only"]
    return [f"{page}: there is no {name}" for name, folder in names if not (any(folder.glob(name)) if "*" in name else (folder / name).exists())]


def changed_drawings(project):
    """Returns complaints of drawings that differ from the script's."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, project / "scripts" / "draw-architecture.py", folder], check=True, timeout=60)
        return [f"docs/images/{name} is not what scripts/draw-architecture.py draws: run it" for name in DRAWINGS
                if (pathlib.Path(folder) / name).read_text() != (project / "docs" / "images" / name).read_text()]


def unused_words(project):
    """Returns complaints of words of the glossary that no other file uses."""
    pages = [file for file in [*project.glob("docs/*.md"), *project.glob("*.md")] if file.name != "GLOSSARY.md"]
    texts = " ".join(" ".join(file.read_text().lower().split()) for file in [*pages, *project.glob("libxtf/**/*.h"), *project.glob("src/**/*.[ch]")])
    cells = [line.split("|")[1].strip() for line in (project / "docs" / "GLOSSARY.md").read_text().splitlines() if line.startswith("| ")]
    words = [re.sub(r" \(.*\)", "", word) for cell in cells for word in cell.split(", ") if cell not in ("word", "term")]
    if len(words) < 80:
        return [f"docs/GLOSSARY.md has {len(words)} words only"]
    return [f"docs/GLOSSARY.md: nothing else says {word!r}" for word in words if not re.search(rf"\b{re.escape(word.lower())}", texts)]


def main():
    project = pathlib.Path(sys.argv[1])
    faults = missing_files(project, project / "docs" / "ARCHITECTURE.md") + changed_drawings(project) + unused_words(project)
    for fault in faults:
        print(f"FAILED: {fault}")
    return bool(faults)


sys.exit(main())
