"""Programs that read CSV and JSON Lines. Each returns the sums of the columns that it takes for numbers: {file: {column: sum}}."""

import json
import os
import pathlib
import shutil
import subprocess

import pandas

# Adds up the numbers of each column, and of the strings that are numbers.
JQ = """reduce inputs as $line ({}; reduce ($line | to_entries[]) as $cell (.; ($cell.value | if type == "string" then tonumber? // null else . end) as $number
    | if ($number | type) == "number" then .[$cell.key] += $number else . end))"""
# DuckDB decides on types by a sample of lines, so the sample is the whole file.
NODE = """
const { DuckDBInstance } = require('@duckdb/node-api');
(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const sums = {};
  for (const file of require('fs').readFileSync(0, 'utf8').split('\\n')) {
    const from = `read_csv('${file}', header = true, sample_size = -1)`;
    const columns = (await connection.runAndReadAll(`describe select * from ${from}`)).getRows();
    const numbers = columns.filter(column => /INT|DOUBLE|DECIMAL/.test(column[1])).map(column => column[0]);
    sums[file] = {};
    if (!numbers.length) continue;
    const wanted = numbers.map(name => `sum("${name}")::double`).join(', ');
    const row = (await connection.runAndReadAll(`select ${wanted} from ${from}`)).getRows()[0];
    numbers.forEach((name, i) => { if (row[i] !== null) sums[file][name] = row[i]; });
  }
  console.log(JSON.stringify(sums));
})();
"""


def numeric_sums(frame):
    """Returns the sums of the columns of numbers. Series.sum() takes large unsigned numbers for negative ones."""
    numbers = {name: frame[name].dropna().tolist() for name in frame if pandas.api.types.is_numeric_dtype(frame[name])}
    return {name: sum(cells) for name, cells in numbers.items() if cells}


def run_pandas(files):
    """Reads CSV as users do, by read_csv() without options."""
    sums = {}
    for file in files:
        frame = pandas.read_csv(file)
        sums[file] = numeric_sums(frame)
    return sums


def run_pandas_json(files):
    """Reads JSON, with the types that the lines have. Times are strings there."""
    sums = {}
    for file in files:
        frame = pandas.DataFrame([json.loads(line) for line in pathlib.Path(file).with_suffix(".json").read_text().splitlines()])
        sums[file] = numeric_sums(frame)
    return sums


def run_jq(files):
    run = lambda file: subprocess.run(["jq", "-n", "-c", JQ, pathlib.Path(file).with_suffix(".json")], capture_output=True, check=True, timeout=60).stdout
    return {file: json.loads(run(file)) for file in files}


def run_duckdb(files):
    """Reads CSV by the npm package @duckdb/node-api below the folder XTF_DUCKDB."""
    environment = {**os.environ, "NODE_PATH": f"{os.environ['XTF_DUCKDB']}/node_modules"}
    done = subprocess.run(["node", "-e", NODE], input="\n".join(files), capture_output=True, text=True, check=False, timeout=300, env=environment)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def run_gnuplot(files, columns):
    """Adds up the columns that the caller names, since gnuplot does not decide on types."""
    script = ["set datafile separator comma", "set print '-'"]
    for file in files:
        for number in columns[file].values():
            script += [f"stats '{file}' every ::1 using {number} nooutput", "print sprintf('%.17g', STATS_sum)"]
    done = subprocess.run(["gnuplot"], input="\n".join(script), capture_output=True, text=True, check=False, timeout=120)
    printed = iter(done.stdout.split())
    try:
        return {file: {name: float(next(printed)) for name in columns[file]} for file in files}
    except StopIteration:
        raise RuntimeError(done.stderr) from None


def present():
    """Returns the readers that are here, by name. Prints the names of the others."""
    readers = {"pandas": run_pandas, "pandas, JSON": run_pandas_json}
    if shutil.which("jq"):
        readers["jq"] = run_jq
    if shutil.which("node") and os.path.isdir(os.path.join(os.environ.get("XTF_DUCKDB") or "/nowhere", "node_modules/@duckdb/node-api")):
        readers["DuckDB"] = run_duckdb
    for name in ("jq", "DuckDB"):
        if name not in readers:
            print(f"not here: {name}")
    return readers
