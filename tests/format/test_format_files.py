"""Tests the test files of the format. libxtf writes the stored files again, with the same bytes. Both readers read the rows of the JSON.

- test_format_files.py MAKE-FILES READ-FILE PRINT-VECTORS XTF: the test
- test_format_files.py --write MAKE-FILES: stores everything anew
- test_format_files.py --expand FOLDER: writes all files into a folder, also the files of recipes
"""
import gzip
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from types import SimpleNamespace

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "reader"), str(HERE.parent / "roundtrip")]
# pylint: disable=wrong-import-position
import xtf_totals
import xtf_unpack
from format_broken import BROKEN, READ, change
from format_recipes import follow_recipe, make_recipe
from format_streams import check_variety
from format_truth import as_number, complete, join, join_runs, to_bits, with_companion, without, write_json
from format_vectors import make_vectors, questions
from xtf_check import check
from xtf_reader import Trace
from xtf_schema import ClockMap, Damaged
from xtf_totals import index_pages, page_tables
from xtf_windows import Window
from xtfrun import Xtf

FILES = HERE / "files"
BYTES_MAX = 205_000  # of all stored files
STORED = ["plain", "anchor", "compact", "totals"]
# Files that are stored as recipes: the files that they begin with.
RECIPES = {"second": [], "merged": ["plain", "second"], "companion": [], "anchored": [], "growing": [], "volumes": [], "removed": [], "run-1": [], "run-2": [], "runs": []}
GOOD = STORED + list(RECIPES)
# Earlier volumes, which are stored as recipes, too.
EARLIER = ["volumes.xtf.0001", "removed.xtf.0002"]
# Rows in a volume that was removed, by location.
REMOVED = {1: 72, 3: 3}
# Files whose JSON is another's.
SAME = {"anchor": "merged"}
DEFLATED = ["compact"]  # another library for deflate may make other bytes
TIMEOUT = 60  # seconds
NOT_A_NUMBER = 0x7ff8000000000000


def expect(truth, *words):
    if not truth:
        sys.exit("FAILED: " + " ".join(map(str, words)))


# ---- Making.

def make_all(make_files, folder):
    """Writes all good files, and returns their JSON by name."""
    subprocess.run([make_files, folder], check=True, timeout=TIMEOUT)
    truths = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    companion, anchored = truths.pop("companion"), truths.pop("anchored")
    truths = {name: complete(truth) for name, truth in truths.items()}
    truths["merged"] = join([truths["plain"], truths["second"]])
    truths["companion"] = with_companion(truths["plain"], companion)
    expect(companion == anchored, "two companions with the same rows differ")
    truths["anchored"] = with_companion(truths["merged"], anchored)
    truths["runs"] = join_runs([truths["run-1"], truths["run-2"]], ["request"])
    truths["removed"] = without(truths["removed"], REMOVED)
    truths["torn-newest"] = first_commit(truths["growing"])
    return truths


def first_commit(growing):
    """Returns what the first commit of `growing` has: rows before time 1000, and one row of the table."""
    arrays = [{**array, "rows": [row for row in array["rows"] if row[0] < 1000]} for array in growing["arrays"]]
    return {**growing, "tables": {"regions": growing["tables"]["regions"][:1]}, "arrays": [array for array in arrays if array["rows"]]}


def make_recipes(folder):
    """Returns the recipes of all files that are not stored; the folder has the good files."""
    recipes = {name: make_recipe((folder / name).read_bytes(), []) for name in EARLIER}
    for name, parts in RECIPES.items():
        wanted, copies = (folder / f"{name}.xtf").read_bytes(), []
        for part in parts:
            data = (folder / f"{part}.xtf").read_bytes()
            copies.append((f"{part}.xtf", data, wanted.index(data[8192:12288]) - 8192))
        recipes[f"{name}.xtf"] = make_recipe(wanted, copies)
    for name, base, rule, patch, *_ in BROKEN + READ:
        data = (folder / f"{base}.xtf").read_bytes()
        f = change(name, base, data)
        patch(f)
        recipes[f"{name}.xtf"] = {"rule": rule, **make_recipe(f.stored(), [(f"{base}.xtf", data, 0)])}
    return recipes


def recipes_text(recipes):
    return "{" + ",\n".join(f'"{name}":{json.dumps(recipe, separators=(",", ":"))}' for name, recipe in recipes.items()) + "}\n"


def read_recipes():
    """Returns the text of the stored recipes. Another library for deflate may store it in other bytes."""
    return gzip.decompress((HERE / "recipes.json.gz").read_bytes()).decode()


def write_stored(folder, truths):
    FILES.mkdir(exist_ok=True)
    for name in STORED:
        shutil.copyfile(folder / f"{name}.xtf", FILES / f"{name}.xtf")
    for name, truth in truths.items():
        (FILES / f"{name}.json").write_text(write_json(truth), encoding="utf-8")
    (HERE / "recipes.json.gz").write_bytes(gzip.compress(recipes_text(make_recipes(folder)).encode(), mtime=0))
    (HERE / "vectors.json").write_text(vectors_text(), encoding="utf-8")


def vectors_text():
    return "{" + ",\n".join(f'"{name}":[\n' + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "]" for name, cases in make_vectors().items()) + "}\n"


def expand(folder):
    """Writes all files into a folder, also the files of recipes."""
    for name in STORED:
        shutil.copyfile(FILES / f"{name}.xtf", folder / f"{name}.xtf")
    for name, recipe in json.loads(read_recipes()).items():
        (folder / name).write_bytes(follow_recipe(recipe, folder))


# ---- Reading.

def word_of(field, cell, chooser=None):
    """Returns a cell as read-file.c prints it."""
    if cell is None:
        return "-"
    if isinstance(cell, dict) and "hex" in cell:
        return "x" + cell["hex"]
    if field["type"] == "STRING" or chooser is not None and isinstance(cell, str):
        return "x" + cell.encode().hex()
    if field["type"] == "F64":
        return f"d{int(cell['bits'], 16) if isinstance(cell, dict) else to_bits(float(cell)):016x}"
    return str(as_number(cell))


def words_of(schema, row):
    return " ".join(word_of(field, cell, ":" in field.get("refers_to", "") or None) for field, cell in zip(schema["fields"], row))


def lines_of(truth):
    """Returns the JSON of a file as lines of read-file.c, without totals."""
    schemas = {schema["name"]: schema for schema in truth["schemas"]}
    lines = [f"table {name} {words_of(schemas[name], row)}" for name, rows in truth["tables"].items() for row in rows]
    for array in truth["arrays"]:
        rows = array.get("global_rows", array["rows"])
        lines += [f"removed {array['location']} {array['schema']} {array['removed_rows']}"] if "removed_rows" in array else []
        lines += [f"row {array['location']} {array['schema']} {words_of(schemas[array['schema']], row)}" for row in rows]
    return lines


def python_words(trace, schema, row):
    """Returns a row as the Python reader reads it."""
    words = []
    strings = {at for at, table, choice in schema.references() if table is None and (choice is None or schema.layout.unpack(row)[choice[0]] == choice[1])}
    for at, (field, value) in enumerate(zip(schema.fields, schema.values(row))):
        if value is None:
            words.append("-")
        elif at in strings:
            words.append("x" + trace.string(value).encode("utf-8", "surrogateescape").hex())
        elif not field.known:
            words.append("b" + value.hex())
        elif field.type == "F64":
            words.append(f"d{struct.unpack_from('<Q', row, field.offset)[0]:016x}")
        else:
            words.append(str(value))
    return " ".join(words)


def n_removed(array):
    """Returns the number of the first rows of an array that were removed with their volumes."""
    for n in range(0 if array.known and array.edge_removed else array.rows):
        try:
            array.leaf_of(n)
            return n
        except Damaged as error:
            if "was removed on purpose" not in str(error):
                raise
    return array.rows


def python_lines(trace):
    """Returns all rows that the Python reader reads."""
    lines = [f"table {name} {python_words(trace, schema, row)}" for name, (schema, rows) in trace.tables.items() for row in rows]
    for array in trace.arrays():
        n = n_removed(array)
        lines += [f"removed {array.location} {array.schema.name} {n}"] if n else []
        lines += [f"row {array.location} {array.schema.name} {python_words(trace, array.schema, row)}" for row in array.read(n)]
    return lines


def same_cells(mine, truth):
    return len(mine) == len(truth) and all(map(xtf_totals.same, map(as_number, truth), mine))


def by_key(groups):
    """Returns the groups of the JSON by key. Groups with zeros only are left out."""
    return {tuple(map(as_number, key)): cells for key, cells in groups if any(cells)}


def compare_totals(name, who, truth, found):
    """`found` has {key: cells}, the cells as U64, for each (location, schema, aggregate)."""
    wanted = {(array["location"], array["schema"], i): by_key(groups) for array in truth["arrays"] for i, groups in enumerate(array.get("totals", []))}
    expect(found.keys() == wanted.keys(), name, who, "has totals of", found.keys())
    for where, groups in wanted.items():
        mine = {key: cells for key, cells in found[where].items() if any(cells)}
        expect(mine.keys() == groups.keys(), name, who, where, "has the groups", mine.keys(), "not", groups.keys())
        for key, cells in groups.items():
            expect(same_cells(mine[key], cells), name, who, where, key, "has", mine[key], "not", cells)


def stored_cells(groups):
    """Returns groups with cells as the file stores them: all NaN have the same bits."""
    return {key: [NOT_A_NUMBER if cell != cell else xtf_totals.bits(cell) for cell in cells] for key, cells in groups.items()}


def python_totals(trace):
    found = {}
    for array in trace.arrays():
        for i in range(len(array.schema.aggregates) if not n_removed(array) else 0):
            groups = Window(array, i).totals(0, array.rows)
            found[array.location, array.schema.name, i] = stored_cells(groups)
    return found


def c_totals(lines):
    found = {}
    for line in lines:
        where, _, cells = line.partition(" =")
        _, location, schema, index, *key = where.split()
        found.setdefault((int(location), schema, int(index)), {})[tuple(map(int, key))] = list(map(int, cells.split()))
    return found


def compare_lines(name, who, lines, wanted):
    lines, wanted = sorted(lines), sorted(wanted)
    if lines != wanted:
        print("\n".join([*(f"+ {line}" for line in lines if line not in wanted), *(f"- {line}" for line in wanted if line not in lines)]))
    expect(lines == wanted, name, who, "reads other rows (+) than the JSON has (-)")


def check_part(read_file, path, trace, array):
    """Both readers have the totals of a part of an array, and the time by key of a window."""
    location, schema, part = array["location"], array["schema"], array["part"]
    (own,) = (own for own in trace.arrays(location) if own.schema.name == schema)
    truth = {"arrays": [{"location": location, "schema": schema, "totals": part["totals"]}]}
    times = {as_number(key): own_times for key, *own_times in part["time_by_key"]}
    windows = [Window(own, i) for i in range(len(own.schema.aggregates))]
    found = {(location, schema, i): stored_cells(window.totals(*part["rows"])) for i, window in enumerate(windows)}
    compare_totals(path.name, "the Python reader", truth, found)
    mine = {key: cells[2:4] for (key,), cells in windows[0].profile(*part["window"], own.local_first, own.local_last).items() if any(cells[2:4])}
    expect(mine == times, path.name, "the Python reader has the times", mine, "not", times)
    done = subprocess.run(list(map(str, (read_file, path, location, schema, *part["rows"], *part["window"]))), capture_output=True, text=True, check=True, timeout=TIMEOUT)
    lines = done.stdout.splitlines()
    compare_totals(path.name, "libxtf", truth, c_totals(line for line in lines if line.startswith("total ")))
    ((_, groups),) = c_totals(line for line in lines if line.startswith("window ")).items()
    mine = {key: cells[2:4] for (key,), cells in groups.items() if any(cells[2:4])}
    expect(mine == times, path.name, "libxtf has the times", mine, "not", times)


def check_good(read_file, xtf, path, truth):
    """Both readers read a file as the JSON says, and both checkers find nothing."""
    trace, wanted = Trace(path), lines_of(truth)
    compare_lines(path.name, "the Python reader", python_lines(trace), wanted)
    compare_totals(path.name, "the Python reader", truth, python_totals(trace))
    check(trace)
    for array in (array for array in truth["arrays"] if "part" in array):
        check_part(read_file, path, trace, array)
    trace.close()
    done = subprocess.run([read_file, path], capture_output=True, text=True, check=False, timeout=TIMEOUT)
    expect(done.returncode == 0, path.name, done.stdout, done.stderr)
    lines = done.stdout.splitlines()
    compare_lines(path.name, "libxtf", [line.rstrip() for line in lines if not line.startswith("total ")], wanted)
    compare_totals(path.name, "libxtf", truth, c_totals(line for line in lines if line.startswith("total ")))
    checked = xtf.run("check", "--quiet", path)
    expect(checked.status == 0, path.name, "xtf check says", checked.output, checked.errors)


def check_broken(read_file, xtf, path, row):
    """Both readers refuse a file, as its row of BROKEN says."""
    name, _, _, _, c_says, python_says = row
    try:
        trace = Trace(path)
        python_lines(trace)
        said = "nothing"
    except Damaged as error:
        said = str(error)
    expect(python_says in said, name, "the Python reader says", said)
    done = subprocess.run([read_file, path], capture_output=True, text=True, check=False, timeout=TIMEOUT)
    expect(done.returncode == 1 and "error: " in done.stdout, name, "libxtf reads it:", done.returncode, done.stdout[-200:], done.stderr)
    checked = xtf.run("check", "--quiet", path)
    said = (checked.output + checked.errors).decode()
    expect(checked.status == 1 and c_says in said, name, "xtf check says", checked.status, said)


# ---- What is stored.

def check_stored(folder, expanded, truths):
    """Compares the files that were made again with the stored ones. Returns the number of stored bytes."""
    stored = [*(FILES / f"{name}.xtf" for name in STORED), *(FILES / f"{name}.json" for name in truths), HERE / "recipes.json.gz", HERE / "vectors.json"]
    expect(sorted(FILES.iterdir()) == sorted(path for path in stored if path.parent == FILES), "files/ has other files than it should")
    for name in GOOD:
        made, kept = folder / f"{name}.xtf", expanded / f"{name}.xtf"
        if Trace(made).writer == Trace(kept).writer:
            expect(made.read_bytes() == kept.read_bytes() or name in DEFLATED, f"{name}.xtf is made with other bytes than are stored")
        else:
            print(f"{name}.xtf was stored by another version of libxtf; only its rows are compared")
    for name, truth in truths.items():
        expect((FILES / f"{name}.json").read_text(encoding="utf-8") == write_json(truth), f"{name}.json is another now")
    expect(recipes_text(make_recipes(expanded)) == read_recipes(), "the recipes are others now")
    expect(vectors_text() == (HERE / "vectors.json").read_text(encoding="utf-8"), "vectors.json is another now")
    page = (HERE / "README.md").read_text(encoding="utf-8")
    unnamed = [name for name in GOOD + [row[0] for row in BROKEN + READ] if f"| `{name}.xtf` |" not in page]
    expect(not unnamed, "README.md does not describe", unnamed)
    total = sum(path.stat().st_size for path in stored)
    expect(total <= BYTES_MAX, total, "bytes are stored, more than", BYTES_MAX)
    return total


def number_array(types):
    """An array whose fields are numbers, for functions of the Python reader."""
    return SimpleNamespace(schema=SimpleNamespace(fields=[SimpleNamespace(type=name, refers_to="") for name in types]))


def clock_of(vector):
    return ClockMap([(as_number(l), as_number(g), int(jump)) for l, g, jump in vector["knots"]])


def check_vectors(print_vectors):
    """Both readers compute what vectors.json says."""
    vectors = json.loads((HERE / "vectors.json").read_text(encoding="utf-8"))
    asked = list(questions(vectors))
    done = subprocess.run([print_vectors], input="".join(f"{question}\n" for question, _ in asked), capture_output=True, text=True, check=True, timeout=TIMEOUT)
    answers = [answer.rstrip() for answer in done.stdout.splitlines()]
    expect(len(answers) == len(asked), "libxtf answers", len(answers), "of", len(asked), "questions")
    for (question, wanted), answer in zip(asked, answers):
        expect(answer == wanted, "libxtf answers", question, "by", answer, "not", wanted)
    for v in vectors["crc32"]:
        expect(zlib.crc32(bytes.fromhex(v["hex"])) == v["crc32"], v)
    for v in vectors["hash"]:
        values = list(map(as_number, v["values"]))
        aggregate = SimpleNamespace(keys=range(len(values)))
        expect(xtf_totals.filter_hash(number_array(["U64"] * len(values)), aggregate, values) == as_number(v["h"]), v)
    for v in vectors["varint"]:
        expect(xtf_unpack.Bytes(bytes.fromhex(v["hex"])).varint() == as_number(v["number"]), v)
    for v in vectors["zigzag"]:
        expect(xtf_unpack.unzigzag(as_number(v["number"])) == as_number(v["signed"]), v)
    for v in vectors["head_and_tail"]:
        tail = bytes.fromhex(v["tail"])
        streams = xtf_unpack.Bytes(bytes([4, v["head"], len(tail) << 2]) + tail)
        expect(list(streams.numbers(1)) == [as_number(v["number"])], v)
    for v in vectors["to_global"]:
        for local, time in v["local_global"]:
            expect(clock_of(v).to_global(as_number(local)) == as_number(time), v)
    for v in vectors["to_local"]:
        for time, local in v["global_local"]:
            expect(clock_of(v).to_local(as_number(time)) == (None if local is None else as_number(local)), v)
    for v in vectors["packed"]:
        layout = struct.Struct("<" + "".join({"U64": "Q", "U32": "I", "U8": "B"}[name] for name in v["types"]))
        widths = [{"U64": 8, "U32": 4, "U8": 1}[name] for name in v["types"]]
        rows = xtf_unpack.unpack(bytes.fromhex(v["hex"]), widths, [False] * len(widths), len(v["rows"]))
        expect([list(row) for row in layout.iter_unpack(rows)] == v["rows"], v)
    return len(asked)


def check_high(make_files, read_file, xtf, folder):
    """Checks the file that is too large to be stored, with trees of three levels and with batches."""
    subprocess.run([make_files, "high", folder], check=True, timeout=TIMEOUT)
    truth = complete(json.loads((folder / "high.json").read_text(encoding="utf-8")))
    check_good(read_file, xtf, folder / "high.xtf", truth)
    trace = Trace(folder / "high.xtf")
    expect(any("part" in array for array in truth["arrays"]), "no totals of a part are compared")
    expect({array.schema.name for array in trace.arrays() if array.height == 3} == {"wide", "batched"} and trace.p_height == 2, "high.xtf has other levels than it should")
    sizes = {array.schema.name: {page_tables(array, page, place).batch_size for page, place, _ in index_pages(array, array.root, None, array.rows) if place is not None}
             for array in trace.arrays() if array.height == 3}
    expect(sizes["wide"] == {0} and sizes["batched"] and 0 not in sizes["batched"], "high.xtf has the batches", sizes)


def run(make_files, read_file, print_vectors, program, folder):
    made, expanded, xtf = folder / "made", folder / "expanded", Xtf(program)
    made.mkdir()
    expanded.mkdir()
    truths = make_all(make_files, made)
    expand(expanded)
    total = check_stored(made, expanded, truths)
    for name in GOOD:
        for place in (made, expanded):
            check_good(read_file, xtf, place / f"{name}.xtf", truths[SAME.get(name, name)])
    check_variety({name: Trace(expanded / f"{name}.xtf") for name in GOOD if name != "removed"}, DEFLATED)
    for name, _, _, _, json_of in READ:
        truth = truths[json_of]
        trace = Trace(expanded / f"{name}.xtf")
        compare_lines(name, "the Python reader", python_lines(trace), lines_of(truth))
        done = subprocess.run([read_file, expanded / f"{name}.xtf"], capture_output=True, text=True, check=True, timeout=TIMEOUT)
        compare_lines(name, "libxtf", done.stdout.splitlines(), lines_of(truth))
    for row in BROKEN:
        check_broken(read_file, xtf, expanded / f"{row[0]}.xtf", row)
    n = check_vectors(print_vectors)
    check_high(make_files, read_file, xtf, folder)
    print(f"{len(GOOD)} files, {len(READ)} others that are read, {len(BROKEN)} that are refused, {n} vectors; {total} bytes are stored")


def main():
    if sys.argv[1] == "--expand":
        expand(pathlib.Path(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory(prefix="xtf-format-") as scratch:
        folder = pathlib.Path(scratch)
        if sys.argv[1] == "--write":
            write_stored(folder, make_all(sys.argv[2], folder))
        else:
            run(*sys.argv[1:5], folder)


if __name__ == "__main__":
    main()
