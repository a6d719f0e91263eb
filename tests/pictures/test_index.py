#!/usr/bin/env python3
"""index.html: its figures and lines equal the tables of the same directory, and its links exist. The page is valid XML, has the stated
size, and the styles of its pictures affect nothing else. The test uses runs, parts of them, and nearly empty traces.

usage: test_index.py XTF ASK-TREE GENERATE WRITE-TRACE MAKE-RUN ARCHIVE...
"""

import pathlib
import random
import re
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree
from decimal import Decimal

import svg
from asking import Refused
from shown import findings_of
from tracepictures import Trace, check
from xtfrun import Xtf, shared_traces, temporary_folder, tests_all

HTML = "{http://www.w3.org/1999/xhtml}"
END = b"</body></html>\n"
MORE_THAN_TIMELINE = 512 << 10
LINES = {"profile": 10, "imbalance": 5}
FINDINGS = 6
ALIKE = 100  # links of a page that differ only in numbers: the test follows at most ALIKE of them
MADE = 8  # pages and pictures are made at lookup: the test follows at most MADE links of a page to them
PROGRAM, SUMS = ("program", "omp-work", "(no region)"), ("mpi", "omp")
OF_PROGRAM, OF_DEVICES = "of the threads' time in the program", "of the devices' time busy"
ROUNDED = Decimal("0.031")  # rounding error of three lines' shares


def text_of(element):
    return "".join(element.itertext()).strip()


def parse_number(text):
    """Returns a number without the spaces between groups of digits and without its unit."""
    return text.replace("\u202f", "").split()[0]


class Page:
    def __init__(self, trace, path):
        self.trace, self.path = trace, path
        self.text = trace.bytes(self.file("index.html"))
        check(self.text == trace.bytes(self.file("index.html")), f"{path}: two readings differ")
        check(self.text.endswith(END), f"{path}: the page ends in {self.text[-20:]!r}")
        self.root = xml.etree.ElementTree.fromstring(self.text)

    def file(self, name):
        return f"{self.path}/{name}".lstrip("/")

    def part(self, name):
        return next((element for element in self.root.iter() if element.get("id") == name), None)

    def rows(self, name):
        """Returns the cells of a table's lines as text, or None if the page lacks the table."""
        part = self.part(name)
        if part is None:
            return None
        lines = [[text_of(cell) for cell in line.findall(HTML + "td")] for line in next(part.iter(HTML + "tbody"))]
        return [line for line in lines if len(line) > 1]

    def table(self, name):
        """Returns a table of the directory, or None if it does not exist."""
        try:
            return self.trace.table(self.path, name)
        except Refused:
            return None


def check_size(page):
    try:
        timeline = len(page.trace.bytes(page.file("timeline.svg")))
        check(timeline < len(page.text) <= timeline + MORE_THAN_TIMELINE, f"{page.path}: {len(page.text)} bytes, the timeline {timeline}")
    except Refused:
        check(len(page.text) % 4096 == 0, f"{page.path}: {len(page.text)} bytes")


def seconds_of(page, name):
    """Returns {class: seconds} of a file `classes`."""
    try:
        return {line["class"].strip(): Decimal(line["exclusive"]) for line in page.trace.table(page.path, name) if line["class"].strip() not in SUMS}
    except Refused:
        return {}


def check_program(page, shown, busy):
    """Checks the program's share of the threads' time: its regions, OpenMP's work, and time in no region. Streams of devices are separate."""
    classes = page.table("classes") or []
    if busy is not None:
        threads, devices = {}, {}
        for line in page.trace.table("definitions", "locations"):
            times = threads if line["type"] == "CPU_THREAD" else devices
            for name, spent in seconds_of(page, f"proc/{line['proc']}/thread/{line['thread']}/classes").items():
                times[name] = times.get(name, 0) + spent
        program, total = sum(threads.get(name, 0) for name in PROGRAM), sum(threads.values())
        wanted = 100 * program / total
        check(abs(Decimal(busy) - 100 + 100 * devices["(no region)"] / sum(devices.values())) <= ROUNDED, f"{page.path}: {busy} {OF_DEVICES}")
    else:
        shares = [Decimal(line["exclusive%"]) for line in classes if line["class"].strip() in PROGRAM and line["exclusive%"] != "-"]
        wanted = sum(shares) if shares else None
    check((shown is None) == (wanted is None), f"{page.path}: {shown} {OF_PROGRAM}, not {wanted}")
    check(wanted is None or abs(Decimal(shown) - wanted) <= ROUNDED, f"{page.path}: {shown} {OF_PROGRAM}, not {wanted}")


def check_facts(page):
    header = page.part("facts")
    check(text_of(header.find(HTML + "h1")) == pathlib.Path(page.trace.path).stem, f"{page.path}: another name")
    facts = {text_of(pair.find(HTML + "dt")): parse_number(text_of(pair.find(HTML + "dd"))) for pair in header.iter(HTML + "div")}
    info = {}
    for line in page.table("info"):
        info.setdefault(line["what"], line["value"])
    wanted = {"duration": info["duration"], "records": info.get("records")}
    wanted.update({words: info.get(name) for words, name in
                   (("calls", "calls"), ("messages sent", "sends"), ("collective records", "collectives"))})
    check_program(page, facts.pop(OF_PROGRAM, None), facts.pop(OF_DEVICES, None))
    wanted = {words: value for words, value in wanted.items() if value is not None}
    check(facts == wanted, f"{page.path}: {facts}, not {wanted}")


def check_same_answers(xtf, ask_tree, make_run, folder):
    """Checks a run that only has calls of MPI: the front page, its picture, `top`, `play`, `classes` and `total` agree on the program's time."""
    calls = [(0, 0, 10, 0), (0, 70, 100, 1), (1, 0, 20, 0), (1, 40, 50, 1)]  # process, begin and end in ms, region
    events = [f"{proc} {1000000 * t} {event} {region}" for proc, begin, end, region in calls for t, event in ((begin, "enter"), (end, "leave"))]
    path = folder / "outside.xtf"
    subprocess.run([make_run, path, "2", "MPI_Init", "MPI_Barrier"], input="\n".join(events) + "\n", text=True, check=True)
    life = 100 + 50
    program, barrier = life - sum(end - begin for _, begin, end, _ in calls), 30 + 10
    page, _ = check_page(Trace(xtf, ask_tree, path), "")
    facts = {text_of(pair.find(HTML + "dt")): parse_number(text_of(pair.find(HTML + "dd"))) for pair in page.part("facts").iter(HTML + "div")}
    percent = f"{100 * program / life:.2f}"
    check(facts["of the threads' time in the program"] == percent, f"the page says {facts}, not {percent}")
    classes = {line["class"].strip(): line for line in page.table("classes")}
    check(classes["(no region)"]["exclusive%"] == percent, f"classes: {classes}")
    check(float(page.table("total")[0]["program"]) == program / 1000, f"total: {page.table('total')}")
    top = xtf.expect("top", "--once", "--columns=160", path).decode()
    check(f"program {100 * program / life:.1f}%" in top, f"top: {top}")
    play = xtf.expect("play", "--columns=160", "--lines=40", "-r", "200ms", "--frame=0", path).decode()
    check(re.search(r"\(program\)", play), f"play: {play}")
    profile = {row[0]: row[3] for row in page.rows("profile")}
    check(profile["MPI_Barrier"] == f"{100 * barrier / life:.2f}", f"profile: {profile}")
    legend = page.trace.bytes("timeline.svg").decode()
    check(f"MPI_Barrier {100 * barrier / life:.1f} %" in legend and "% of the threads' time" in legend, "the legend has another base")


def shown_name(name):
    """Returns a name as pictures show it: above 48 characters without its middle."""
    return name if len(name) <= 48 else name[:24] + "\u2026" + name[-23:]


def check_profile(page):
    table, rows = page.table("profile"), page.rows("profile")
    check((table is None) == (rows is None), f"{page.path}: only one of the page and the directory has a profile")
    if table is None:
        return
    lines = [line for line in table if float(line["exclusive"]) or float(line["exclusive%"].replace("-", "0")) or int(line["calls"])]
    lines = lines[:LINES["profile"]]
    check(len(rows) == len(lines), f"{page.path}: {len(rows)} regions, not {len(lines)}")
    bars = [bar.get("style") for bar in page.part("profile").iter(HTML + "div") if "width" in bar.get("style", "")]
    for row, line, bar in zip(rows, lines, bars):
        wanted = [line["calls"], line["exclusive"], line["exclusive%"]]
        check([parse_number(row[1]), *row[2:4]] == wanted, f"{page.path}: {row} is not {line}")
        check_name(page, row[0], line.get("region", ""))
        share = float(line["exclusive%"].replace("-", "0")) / max(float(lines[0]["exclusive%"].replace("-", "0")), 1e-9) * 100
        check(abs(float(re.search(r"width:([0-9.]+)%", bar).group(1)) - share) < 0.02, f"{page.path}: the bar of {row}")
        check(page.trace.colours.get(line.get("region", "").rstrip(), "") in bar or len(line.get("region", "")) > 40, f"{page.path}: the colour of {row}")


def check_name(page, shown, name):
    """Compares a name. Tables cut long names and escape characters that are not ASCII; pictures show them."""
    name = name.rstrip()
    if len(name) < 40 and name.isascii() and "\\" not in name:
        check(shown == shown_name(name), f"{page.path}: {shown} is not {name}")


def check_imbalance(page):
    table, rows = page.table("imbalance"), page.rows("imbalance")
    if rows is None:
        processes = {line["max_proc"] for line in table or []}
        check(len(processes) < 2, f"{page.path}: there is an imbalance, which is not shown")
        return
    lines = [line for line in table if line["max"] != line["min"]][:LINES["imbalance"]]
    check([row[1:] for row in rows] == [[line[name] for name in ("mean", "min", "min_proc", "max", "max_proc")] for line in lines],
          f"{page.path}: {rows} is not {lines}")
    for row, line in zip(rows, lines):
        check_name(page, row[0], line.get("region", ""))


def check_findings(page):
    """Compares the first lines of the file `findings`, with links to the tables that it names."""
    part = page.part("findings")
    try:
        said = findings_of(page.trace.text(page.file("findings")))
    except Refused:
        check(part is None, f"{page.path}: findings without the file")
        return
    items = [item for item in part.iter(HTML + "li")]
    check(len(items) == min(len(said), FINDINGS), f"{page.path}: {len(items)} findings of {len(said)}")
    for item, (_, _, sentence, table) in zip(items, said):
        shown, wanted = " ".join((item.text or "").split()), " ".join(sentence.removesuffix("\u2026").split())
        check(shown.startswith(wanted), f"{page.path}: '{shown}' is not '{wanted}'")
        link = item.find(HTML + "a").get("href")
        if link == table:  # in the same directory
            continue
        where = svg.follow(page.path, link)
        check(page.trace.bytes(where) == page.trace.bytes(page.file(table)), f"{page.path}: {link} is another table than {table}")


def exists(trace, path, is_listed=False):
    """True if a path exists. With `is_listed` the directory must list the file, and the file is not made."""
    directory, _, name = path.rpartition("/")
    try:
        if is_listed and name in trace.names(directory):
            return True
        trace.names(path)
    except Refused as error:
        return str(error).endswith("is no directory")
    return True


def some_of(links):
    """Returns all links, but a random choice where very many differ only in numbers, as in a matrix."""
    alike = {}
    for link in links:
        alike.setdefault(re.sub("[0-9]+", "0", link), []).append(link)
    return [link for group in alike.values() for link in (group if len(group) <= ALIKE else random.sample(group, ALIKE))]


def check_links(page):
    links = sorted({link.get("href") for link in page.root.iter(HTML + "a") if link.get("href")} |
                   {link.get("href") for link in page.root.iter(svg.SVG + "a") if link.get("href")})
    made = [link for link in links if link.endswith((".html", ".svg"))]
    listed = set(made) - set(random.sample(made, min(len(made), MADE)))
    for link in some_of(links):
        where = svg.follow(page.path, link)
        check(exists(page.trace, where, link in listed), f"{page.path}: {link} has no target")
        check(urllib.parse.unquote(link).count("time/") <= 1 or "by/time" in link, f"{page.path}: {link} grows")
    return links


def check_styles(page):
    """Checks styles: a <style> in a picture applies to the whole page."""
    for style in page.root.iter(svg.SVG + "style"):
        text = re.sub(r"@media[^{]*\{((?:[^{}]*\{[^{}]*\})*)\}", r"\1", style.text)
        for selectors in re.findall(r"([^{}]+)\{", text):
            for selector in selectors.split(","):
                check(selector.strip().split()[0].startswith(".xt"), f"{page.path}: '{selector}' is of all of the page")
    for style in page.root.iter(HTML + "style"):
        check(not re.search(r"(^|[},\s])(svg|rect|text|path|g|circle|image)[\s{,.:]", style.text), f"{page.path}: a style of the page is for pictures")


def check_charts(page):
    """Checks that cells of the matrix and bars of records are the tables' lines."""
    for name, words in ("matrix", "messages"), ("histogram", "count"):
        part, table = page.part(name), page.table(name)
        if part is None:
            none = all(line[words] in ("0", "-") for line in table or [])
            check(table is None or (name == "matrix" and none), f"{page.path}: there is no {name}")
            continue
        titles = [text_of(title) for rectangle in part.iter(svg.SVG + "rect") for title in rectangle.findall(svg.SVG + "title")]
        wanted = [int(line[words]) for line in table if line[words] not in ("0", "-")]
        if next(part.iter(svg.SVG + "image"), None) is not None:
            continue
        shown = [int(re.search(r"(\d+) (message|record)", title).group(1)) for title in titles]
        if name == "matrix" and len(shown) < len(wanted):  # of very many some have neither tool tip nor link
            cells = [cell for cell in part.iter(svg.SVG + "rect") if "xt-q" in cell.get("class", "") and cell.get("width") == cell.get("height")]
            check(len(cells) == len(wanted) and len(wanted) > 1000, f"{page.path}: {len(cells)} cells, not {len(wanted)}")
            continue
        check(sorted(shown) == sorted(wanted), f"{page.path}: {name} shows {sorted(shown)[:8]}, not {sorted(wanted)[:8]}")


def check_page(trace, path):
    page = Page(trace, path)
    for check_one in check_size, check_facts, check_profile, check_imbalance, check_findings, check_styles, check_charts:
        check_one(page)
    headings = [element.tag for element in page.root.iter() if element.tag in (HTML + "h1", HTML + "h2")]
    check(headings[0] == HTML + "h1" and headings.count(HTML + "h1") == 1, f"{path}: headings are {headings}")
    return page, check_links(page)


PATHS = ["", "time/40%-60%", "proc/0", "proc/0,1/time/10%-90%", "time/99.99%-", "time/0-0.000000001", "class/mpi/time/30%-31%", "sends", "tag/0",
         "region/MPI_*/proc/0", "proc/1-/num/5-20", "at/50%"]


def check_trace(xtf, ask_tree, path, paths=PATHS):
    """Checks pages of a trace and returns their number."""
    trace, n = Trace(xtf, ask_tree, path), 0
    for where in paths:
        try:
            check_page(trace, where)
            n += 1
        except Refused as error:
            check(re.search("there is no (process|region|tag)|no process at all", str(error)), str(error))
    return n


def check_listing(trace):
    check("index.html" in trace.names("") and "index.html" in trace.names("time/10%-20%"), "index.html is not listed")
    check("index.html" not in trace.names("proc/0"), "index.html is listed below proc/")


def check_many(xtf, ask_tree, generate, folder, locations):
    path = folder / f"many-{locations}.xtf"
    subprocess.run([generate, "-n", str(20 * locations + 2000), "-l", str(locations), path], check=True, capture_output=True)
    page, links = check_page(Trace(xtf, ask_tree, path), "")
    ranges = [urllib.parse.unquote(link) for link in links if re.search(r"proc/[0-9-]+/index", link)]
    covered = set()
    for link in ranges:
        first, _, last = re.search(r"proc/([0-9-]+)/", link).group(1).partition("-")
        covered.update(range(int(first), int(last or first) + 1))
    check(covered == set(range(locations)), f"links lead to {len(covered)} processes of {locations}")


# Regions that would end an element, a comment, a script or a line, reverse the text, or are not valid text.
HOSTILE = [b'"<&>]]>', b"</script><script>alert(1)</script>", b"--><svg onload=alert(1)>", b"'}</style>", b"&" * 255, "\u202egnp.exe".encode(),
           b"two\nlines", b"\xff\xfe\x80", "\uffff\ufffe".encode(), b"#1", "\u7a0b\u5e8f".encode() * 60, b" "]


def check_hostile(xtf, ask_tree, make_run, folder):
    """Checks that hostile names are only text: the page has the same elements as one with plain names."""
    counts = []
    for name, regions in ("plain", [b"region%d" % i for i in range(len(HOSTILE))]), ("<b>&\"'</title>", HOSTILE):
        events = [f"{proc} {100 * i + d} {event} {i}" for proc in range(3) for i in range(len(regions)) for d, event in ((0, "enter"), (90 - proc, "leave"))]
        path = folder / f"{name.replace('/', '')}.xtf"
        subprocess.run([make_run, path, "3", *regions], input="\n".join(events) + "\n", text=True, check=True)
        page, _ = check_page(Trace(xtf, ask_tree, path), "")
        counts.append((sum(1 for _ in page.root.iter(HTML + "a")), sum(1 for _ in page.root.iter(HTML + "script")), sum(1 for _ in page.root.iter(HTML + "td"))))
        check(not any(c < " " and c != "\n" or "\u202a" <= c <= "\u202e" for c in page.text.decode()), "a control character is in the page")
    check(counts[0] == counts[1], f"names change the page: {counts}")


def check_made_up(xtf, ask_tree, make_run, folder):
    """Checks an empty trace, one event, and the most messages and bytes of names that a page of 64 processes can have."""
    check_hostile(xtf, ask_tree, make_run, folder)
    check_same_answers(xtf, ask_tree, make_run, folder)
    full = [line for proc in range(64) for line in
            [f"{proc} {10 + peer} send {peer} {1 + proc * 64 + peer}" for peer in range(64)] +
            [f"{proc} {100 + 10 * i + d} {event} {i}" for i in range(40) for d, event in ((0, "enter"), (1 + (proc * i) % 9, "leave"))]]
    for name, processes, events in ("nothing", 2, []), ("one", 1, ["0 10 enter 0"]), ("full", 64, full):
        regions = [b"&" * 250 + b"%d" % i for i in range(40)]
        subprocess.run([make_run, folder / f"{name}.xtf", str(processes), *regions], input="".join(line + "\n" for line in events), text=True, check=True)
        trace = Trace(xtf, ask_tree, folder / f"{name}.xtf")
        chosen = ",".join(str(proc) for proc in range(0, 64, 2))
        for path in ("", "time/10%-90%", f"proc/{chosen}/peer/{chosen}/time/1%-99%") if name == "full" else ("",):
            check_page(trace, path)


def main():
    random.seed(16)
    xtf, ask_tree, generate, write_trace, make_run, *archives = Xtf(sys.argv[1]), *sys.argv[2:]
    shared = shared_traces()
    archives += [shared / name for name in ("coverage-10", "stencil4d-32", "pingpong-papi-2", "comm-create-4")] if shared else []
    with temporary_folder() as name:
        folder, pages = pathlib.Path(name), 0
        for i, archive in enumerate(archives if tests_all() else archives[:2]):
            xtf.import_archive(archive, folder / f"{i}.xtf")
            pages += check_trace(xtf, ask_tree, folder / f"{i}.xtf")
            check_listing(Trace(xtf, ask_tree, folder / f"{i}.xtf"))
        for archive in archives[1:2]:  # with clocks that agree, and with an analysis
            xtf.import_archive(archive, folder / "raw.xtf")
            xtf.expect("align", "-q", "-o", folder / "analysed.xtf", folder / "raw.xtf")
            xtf.expect("analyze", "-q", folder / "analysed.xtf")
            pages += check_trace(xtf, ask_tree, folder / "analysed.xtf")
        check(pages > 5 * (i + 1), f"only {pages} pages")
        for locations in (1, 64, 65, 10000) if tests_all() else (65,):
            check_many(xtf, ask_tree, generate, folder, locations)
        for n in "0", "1", "500":  # records of an unknown type, and no calls
            subprocess.run([write_trace, folder / f"few-{n}.xtf", n], check=True)
            check(check_trace(xtf, ask_tree, folder / f"few-{n}.xtf", ["", "proc/0"]) > 0, f"no page of a trace of {n} records")
        check_made_up(xtf, ask_tree, make_run, folder)
    print(f"{pages} pages")


if __name__ == "__main__":
    main()
