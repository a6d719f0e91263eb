#!/usr/bin/env python3
"""Recorded communicators. Each must have one id and one row for all its members. The members must be the same that MPI gives, and
messages must match. The programs print what MPI gives.

usage: test_handles.py
"""

import collections
import os
import re
import shutil
import subprocess

from recorded_trace import Recorded
from recording import PROGRAMS, XTF, Case, main, mpis

# Functions that make a communicator; programs/comms.c calls each of them.
MAKERS = {"MPI_Comm_dup", "MPI_Comm_dup_with_info", "MPI_Comm_idup", "MPI_Comm_split", "MPI_Comm_split_type", "MPI_Comm_create", "MPI_Comm_create_group",
          "MPI_Cart_create", "MPI_Cart_sub", "MPI_Graph_create", "MPI_Dist_graph_create_adjacent", "MPI_Intercomm_create", "MPI_Intercomm_merge"}
WORLD, SELF = 1, 2


def check_collectives_end(case, trace, process):
    """Checks that each call has equal numbers of ENDs and BEGINs of collective operations, even if it makes a communicator
    without a number."""
    for call in trace.calls(process):
        events = collections.Counter(record.event for record in call.records)
        case.assertEqual(events["MPI_COLLECTIVE_BEGIN"], events["MPI_COLLECTIVE_END"], call.name)


class Communicators(Case):
    def printed_comms(self, n):
        """Returns the output of the processes of programs/comms.c: {(name, members, members of the other group)}, {(process,
        name)}, {process: coordinates}."""
        comms, member_of, coordinates = set(), set(), {}
        for process in range(n):
            for line in (self.folder / f"printed.{process}").read_text().splitlines():
                if line.startswith("coordinates"):
                    coordinates[process] = [int(word) for word in line.split()[1:]]
                    continue
                own, _, other = line.partition(" |")
                name, rank, *members = own.split()
                self.assertEqual(int(members[int(rank)]), process)
                groups = sorted([tuple(map(int, members)), tuple(map(int, other.split()))]) if other else [tuple(map(int, members))]
                comms.add((name, *groups))
                member_of.add((process, name))
        return comms, member_of, coordinates

    def groups(self, trace, row):
        own, remote = trace.members(row), trace.members(row, "remote_group")
        if own is None:  # of one process alone
            return None
        return [tuple(own)] if remote is None else sorted([tuple(own), tuple(remote)])

    def check_definitions(self, trace, comms):
        rows = trace.tables["communicators"]
        self.assertEqual(len({row["id"] for row in rows}), len(rows), "ids differ")
        named = {(trace.comm_name(i), *self.groups(trace, i)) for i, row in enumerate(rows) if row["id"] not in (WORLD, SELF) and trace.comm_name(i) != "self"}
        self.assertEqual(named, {comm for comm in comms if comm[0] != "self"})
        # Each process has its own communicator `self`.
        self.assertEqual(sorted(tuple(trace.members(i)) for i in range(len(rows)) if trace.comm_name(i) == "self"), [(0,), (1,), (2,), (3,)])
        self.assertEqual(sorted((row["id"], trace.comm_name(i)) for i, row in enumerate(rows) if row["id"] in (WORLD, SELF)),
                         [(WORLD, "MPI_COMM_WORLD"), (SELF, "MPI_COMM_SELF")])

    def check_records(self, trace, member_of):
        """Checks that each member makes each communicator once, in a call that makes communicators, and ends it once if it is
        ever freed."""
        for process in range(4):
            made, ended = collections.Counter(), collections.Counter()
            for call in trace.calls(process):
                for record in call.records:
                    if record.event == "COMM_CREATE":
                        made[trace.comm_name(record.comm)] += 1
                        self.assertIn(call.name, MAKERS | {"MPI_Init", "MPI_Wait"})
                    elif record.event == "COMM_DESTROY":
                        ended[trace.comm_name(record.comm)] += 1
                        self.assertIn(call.name, {"MPI_Comm_free", "MPI_Comm_disconnect", "MPI_Finalize"})
            names = {name for member, name in member_of if member == process}
            # All processes make it, but only processes that record at the time record it.
            off = {"while-off"} if process == 1 else set()
            self.assertEqual(made, dict.fromkeys(names - off | {"MPI_COMM_WORLD", "MPI_COMM_SELF"}, 1))
            ended.pop("never-freed", None)
            self.assertEqual(ended, dict.fromkeys(names - {"never-freed"} | {"MPI_COMM_WORLD", "MPI_COMM_SELF"}, 1))

    def check_collectives(self, trace):
        """Checks that calls by all members of the old communicator are collective operations of it, equally often in all
        processes."""
        seen = collections.defaultdict(lambda: [[], [], [], []])
        for process in range(4):
            for call in trace.calls(process):
                for record in call.records:
                    if record.event == "MPI_COLLECTIVE_END" and (process, call.name) != (1, "MPI_Comm_dup"):
                        seen[trace.comm_name(record.comm), record.operation][process].append(call.name)
        for (name, operation), calls in seen.items():
            self.assertIn(operation, ("CREATE_HANDLE", "DESTROY_HANDLE"))
            if name == "MPI_COMM_WORLD":
                calls[:] = [[call for call in names if call != "MPI_Comm_dup"] for names in calls]
                self.assertEqual(calls, [calls[0]] * 4)

    def check_messages(self, trace, comms):
        """Checks that a message goes once around in each communicator, and arrives."""
        sent, received = collections.Counter(), collections.Counter()
        for location, records in trace.records.items():
            process = location >> 32
            for record in records:
                if record.event in ("MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV"):
                    groups = self.groups(trace, record.comm) or [(process,)]
                    peers = groups[0] if len(groups) == 1 or process not in groups[0] else groups[1]
                    pair = (process, peers[record.peer]) if "SEND" in record.event else (peers[record.peer], process)
                    (sent if "SEND" in record.event else received)[trace.comm_name(record.comm), pair] += 1
        expected = collections.Counter()
        expected.update(("MPI_COMM_SELF", (process, process)) for process in range(4))
        for name, *groups in comms:
            if len(groups) == 2:
                pairs = [*zip(*groups), *zip(*reversed(groups))]
            else:
                pairs = zip(groups[0], groups[0][1:] + groups[0][:1])
            expected.update((name, pair) for pair in pairs)
        self.assertEqual(sent, expected)
        self.assertEqual(received, expected)

    def check_topologies(self, trace, coordinates):
        tables = trace.tables
        sizes = {}
        for i, row in enumerate(tables["cart_topologies"]):
            parts = tables["cart_topology_dimensions"][row["first"]:row["first"] + row["count"]]
            sizes[i] = [(tables["cart_dimensions"][part["dimension"]]["size"], tables["cart_dimensions"][part["dimension"]]["periodic"]) for part in parts]
        names = {trace.comm_name(row["comm"]): i for i, row in enumerate(tables["cart_topologies"])}
        self.assertEqual({name: sizes[i] for name, i in names.items()}, {"cart": [(2, 1), (2, 0)], "row-0": [(2, 0)], "row-1": [(2, 0)]})
        self.assertEqual(len(tables["cart_dimensions"]), 4, "the same in all parts")
        found = collections.defaultdict(dict)
        for row in tables["cart_coordinates"]:
            if row["topology"] == names["cart"]:
                found[row["rank"]][row["axis"]] = row["coordinate"]
        self.assertEqual({rank: [of[0], of[1]] for rank, of in found.items()}, coordinates)

    def test_all_kinds(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, _ = self.recorded(mpi, 4, self.compile(mpi, "comms"), "printed")
                comms, member_of, coordinates = self.printed_comms(4)
                self.check_definitions(trace, comms)
                self.check_records(trace, member_of)
                self.check_collectives(trace)
                self.check_messages(trace, comms)
                matched = [line.split() for line in self.xtf("cat", trace.trace.path, "messages").splitlines()]
                self.assertEqual({words[8] for words in matched[1:] if words[7] != "bytes"}, {"certain"}, "each message has a certain match")
                self.check_topologies(trace, coordinates)

    def test_very_many(self):
        """Checks that MPI reuses handles, but xtf does not reuse ids."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, _ = self.recorded(mpi, 2, self.compile(mpi, "comms"), "printed")
                self.assertEqual(len(trace.tables["communicators"]), 1002)
                for process in range(2):
                    for event in "COMM_CREATE", "COMM_DESTROY":
                        ids = [trace.tables["communicators"][r.comm]["id"] for r in trace.records[process << 32] if r.event == event]
                        self.assertEqual((len(ids), len(set(ids))), (1002, 1002))
                self.assertEqual({tuple(trace.members(i)) for i, row in enumerate(trace.tables["communicators"]) if row["id"] != SELF}, {(0, 1)})


class Coupled(Case):
    """Two programs in one world. Both are recorded, or only the first or the second one; or recording of the second one is
    prevented."""

    def start_programs(self, mpi, path, programs, **environment):
        """Starts the programs. `programs`: the words before each of them."""
        words = [word for which, before in enumerate(programs) for word in (":", "-n", 2, *before, path, which)]
        command = [str(word) for word in (*self.launch(mpi, 2), *words[3:])]
        run = subprocess.Popen(command, cwd=self.folder, env={**self.environment, **environment}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        for last in (run.stdout.close, run.wait, run.terminate):  # also if an earlier test failed; the launcher ends its processes
            self.addCleanup(last)
        return run

    def merge_parts(self, name):
        self.xtf("merge", "-o", f"{name}.xtf", f"{name}.xtf.d")
        self.xtf("check", f"{name}.xtf")
        trace = Recorded(self.folder / f"{name}.xtf")
        self.addCleanup(trace.close)
        return trace

    def check(self, trace, processes, whole):
        """Checks that communicators of recorded processes have numbers, and that all messages are recorded."""
        self.assertEqual(trace.processes(), processes)
        comms = sorted((trace.comm_name(i), trace.members(i)) for i in range(len(trace.tables["communicators"])) if trace.tables["communicators"][i]["id"] != SELF)
        pairs = [pair for pair in ([0, 1], [2, 3]) if pair[0] in processes]
        own = [(name, pair) for name in ("again", "own") for pair in pairs]
        self.assertEqual(comms, sorted([("MPI_COMM_WORLD", [0, 1, 2, 3]), *own, *([("", [2, 3]), ("all", [0, 1, 2, 3])] if whole else [])]))
        for process in processes:
            check_collectives_end(self, trace, process)
            found = [(record.event, record.tag, trace.comm_name(record.comm)) for call in trace.calls(process) for record in call.records
                     if record.event in ("MPI_SEND", "MPI_RECV")]
            event = "MPI_RECV" if process % 2 else "MPI_SEND"
            in_all = [(event, 1, "all" if whole else None)] if process in (0, 3) else []
            between = "" if whole else None
            self.assertEqual(found, [*in_all, (event, 2, "own"), (event, 3, "again"), ("MPI_SEND", 5, between), ("MPI_RECV", 5, between)])

    def test_coupled(self):
        record = {name: [XTF, "record", "-o", f"{name}.xtf"] for name in [f"{mpi}-{way}" for mpi in self.mpis() for way in ("both", "first", "second", "without")]}
        runs = {}
        paths = {mpi: self.compile(mpi, "coupled") for mpi in self.mpis()}
        for mpi in self.mpis():  # the runs overlap, as runs with missing processes wait for these
            both, first, second, without = (record[f"{mpi}-{way}"] for way in ("both", "first", "second", "without"))
            for way, programs in (("both", [both, both]), ("first", [first, []]), ("second", [[], second]),
                                  ("without", [without, [*without, "env", "-u", "LD_PRELOAD"]])):
                # Processes that wait in MPI meanwhile use a processor each. Most runs therefore wait only for a part of the
                # timeout.
                short = {} if way == "both" or (way, mpi) == ("first", self.mpis()[0]) else {"XTF_RECORD_TIMEOUT_PERCENT": "30"}
                runs[f"{mpi}-{way}"] = self.start_programs(mpi, paths[mpi], programs, **short)
        for name, run in runs.items():
            with self.subTest(name):
                printed, _ = run.communicate(timeout=180)
                self.assertEqual(run.returncode, 0, printed)
                self.assertEqual("not all processes of MPI_COMM_WORLD are recorded" in printed, not name.endswith("both"), printed)
                processes = {"both": [0, 1, 2, 3], "first": [0, 1], "second": [2, 3], "without": [0, 1]}[name.rpartition("-")[2]]
                self.check(self.merge_parts(name), processes, len(processes) == 4)


class Sessions(Case):
    """MPI without MPI_Init, or with it inside of a session. Calls after MPI_Finalize are not recorded."""

    def test_sessions(self):
        if "mpich" not in mpis():
            self.skipTest("no installed MPI has sessions")
        program = self.compile("mpich", "sessions")
        for arguments, in_world, names, environment in (([], [], {"outer", "inner"}, {}), ([], [], {"outer", "inner"}, {"PMI_SPAWNED": "0"}),
                                                        (["init"], [3], {"outer", "inner", "MPI_COMM_WORLD", "MPI_COMM_SELF"}, {})):
            with self.subTest(arguments, **environment):
                trace, _ = self.recorded("mpich", 2, program, *arguments, **environment)
                rows = {trace.comm_name(i): trace.members(i) for i in range(len(trace.tables["communicators"]))}
                self.assertEqual({name: members for name, members in rows.items() if name != "MPI_COMM_SELF"}, dict.fromkeys(names - {"MPI_COMM_SELF"}, [0, 1]))
                for process in 0, 1:
                    found = [(record.event, trace.comm_name(record.comm), record.peer, record.tag) for call in trace.calls(process) for record in call.records
                             if record.event in ("MPI_SEND", "MPI_RECV")]
                    behind = [] if in_world else [("outer", 4)]
                    expected = [("outer", 1), ("inner", 2), *(("MPI_COMM_WORLD", tag) for tag in in_world), *behind]
                    self.assertEqual(found, [(event, name, 1 - process, tag) for name, tag in expected for event in ("MPI_SEND", "MPI_RECV")])
                self.assertEqual(self.xtf("cat", trace.trace.path, "definitions/definition_properties").count(" finalized "), 2)
                os.remove(trace.trace.path)


class Exhausted(Case):
    """A request of MPI_Comm_idup that fails makes no communicator: the recorder must not use its handle, and must record none."""

    def compile_fortran(self, mpi):
        path = self.folder / f"exhausted-fortran-{mpi}"
        self.run_in(f"mpif90.{mpi}", "-w", "-o", path, PROGRAMS / "exhausted.F90")
        return path

    def check(self, program):
        plain_output = self.run_in(program)
        n = int(plain_output.split()[0])
        self.assertIn("MPI_Wait: failed", plain_output)
        trace = self.folder / "t.xtf"
        self.assertEqual(self.run_in(XTF, "record", "--force", "-o", trace, program), plain_output)
        self.xtf("check", trace)
        # The world, MPI_COMM_SELF, the parent, and its duplicates.
        lines = self.xtf("cat", trace, "definitions/communicators").splitlines()
        self.assertEqual(len([line for line in lines if not line.startswith("#")]), n + 3)

    def test_failed_idup(self):
        for mpi in self.mpis():
            with self.subTest(mpi=mpi, language="C"):
                self.check(self.compile(mpi, "exhausted"))
            if shutil.which(f"mpif90.{mpi}"):
                with self.subTest(mpi=mpi, language="Fortran"):
                    self.check(self.compile_fortran(mpi))


class Worlds(Case):
    """Processes that meet after their start."""

    def programs(self, program, n):
        """Yields MPIs that can run the program, and its executable. Some builds of MPICH can neither spawn nor connect: without
        XTF_TEST_ALL the next MPI takes their place."""
        able = False
        for mpi in sorted(mpis(), key=lambda mpi: mpi not in self.mpis()):
            if able and mpi not in self.mpis():
                break
            path = self.compile(mpi, program)
            try:
                self.run_in(*self.launch(mpi, n, path))
            except AssertionError:
                continue
            able = True
            yield mpi, path
        if not able:
            self.skipTest(f"no installed MPI can run {program}.c")

    def test_connect_without_number(self):
        """Checks that the communicator contains only the program's messages."""
        for mpi, program in self.programs("connect", 4):
            for side in "accepts", "connects":
                with self.subTest(mpi, hidden=side):
                    trace, _ = self.recorded(mpi, 4, program, side)
                    for process in range(4):
                        check_collectives_end(self, trace, process)
                    os.remove(trace.trace.path)

    def test_connect(self):
        for mpi, program in self.programs("connect", 4):
            with self.subTest(mpi):
                trace, _ = self.recorded(mpi, 4, program)
                both = [i for i in range(len(trace.tables["communicators"])) if trace.comm_name(i) == "between"]
                self.assertEqual([sorted([trace.members(i), trace.members(i, "remote_group")]) for i in both], [[[0, 1], [2, 3]]] * 2)
                ends = collections.Counter((location >> 32, record.event, both.index(record.comm), record.peer) for location, records in trace.records.items()
                                           for record in records if record.event in ("MPI_SEND", "MPI_RECV") and record.comm in both)
                self.assertEqual(ends, {(process, event, i, process % 2): 1 for process in range(4) for event in ("MPI_SEND", "MPI_RECV") for i in range(2)})
                self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_spawn(self):
        for mpi, program in self.programs("spawn", 2):
            with self.subTest(mpi):
                trace, _ = self.recorded(mpi, 2, program)
                self.assertEqual(trace.processes(), [0, 1, 2, 3, 4, 5])
                worlds = [trace.members(i) for i in range(len(trace.tables["communicators"])) if trace.comm_name(i) == "MPI_COMM_WORLD"]
                self.assertEqual(sorted(worlds), [[0, 1], [2, 3], [4, 5]])
                both = [i for i in range(len(trace.tables["communicators"])) if trace.comm_name(i) == "between"]
                self.assertEqual(sorted(sorted([trace.members(i), trace.members(i, "remote_group")]) for i in both), [[[0, 1], [2, 3]], [[0, 1], [4, 5]]])
                merged_rows = [i for i in range(len(trace.tables["communicators"])) if trace.comm_name(i) == "all"]
                self.assertEqual(sorted(trace.members(i) for i in merged_rows), [[0, 1, 2, 3], [0, 1, 4, 5]])
                self.check_messages(trace)
                self.check_archive(trace)
                self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def check_archive(self, trace):
        """Checks that OTF2's own tool finds the processes of all worlds."""
        self.xtf("export", "otf2", "-o", self.folder / "archive", trace.trace.path)
        anchor, = (self.folder / "archive").glob("*.otf2")
        if shutil.which("otf2-print"):
            printed = self.run_in("sh", "-c", 'otf2-print -G "$1" 2>&1', "sh", anchor)
            self.assertEqual([line for line in printed.splitlines() if "warning" in line], [])
            world, = (line for line in printed.splitlines() if "Type: COMM_LOCATIONS" in line)
            self.assertEqual([int(location) for location in re.findall(r'"Master thread" <(\d+)>', world)], [process << 32 for process in range(6)])

    def test_not_recorded(self):
        """Checks that processes that are not recorded take no part in agreements of the recorder."""
        for mpi, program in self.programs("apart", 2):
            with self.subTest(mpi):
                trace, _ = self.recorded(mpi, 2, program)
                self.assertEqual(trace.processes(), [0, 1])
                for process in 0, 1:
                    calls = collections.Counter(call.name for call in trace.calls(process))
                    self.assertEqual([calls[name] for name in ("MPI_Comm_dup", "MPI_Intercomm_merge", "MPI_Intercomm_create")], [3, 4, 2])
                    check_collectives_end(self, trace, process)
                self.assertEqual([i for i in range(len(trace.tables["communicators"])) if not trace.comm_name(i)], [], "communicators made from it have no number")
                self.check_servers(trace)

    def check_servers(self, trace):
        """Checks that a process knows its own side of a connection, and messages in it."""
        between = {trace.comm_name(i): i for i in range(len(trace.tables["communicators"])) if trace.comm_name(i).startswith("to-")}
        self.assertEqual({name: trace.members(i) for name, i in between.items()}, {"to-server": [0, 1], "to-client": [0, 1]})
        self.assertEqual([trace.members(i, "remote_group") for i in between.values()], [[], []], "the members are unknown")
        for process in 0, 1:
            records = [record for call in trace.calls(process) for record in call.records]
            found = [(record.event, record.peer, record.tag, record.bytes) for record in records
                     if record.event in ("MPI_SEND", "MPI_RECV") and record.comm in between.values()]
            self.assertEqual(found, [("MPI_SEND", process, 4, 4), ("MPI_RECV", process, 4, 4)] * 2)
            made = [trace.comm_name(record.comm) for record in records if record.event == "COMM_CREATE"]
            self.assertEqual(made, ["MPI_COMM_WORLD", "MPI_COMM_SELF", "to-server", "to-client"], "communicators made from it have no number")

    def check_messages(self, trace):
        sent = collections.Counter()
        for location, records in trace.records.items():
            for record in records:
                if record.event in ("MPI_SEND", "MPI_RECV"):
                    own, other = trace.members(record.comm), trace.members(record.comm, "remote_group")
                    peers = own if other is None or location >> 32 in other else other
                    ends = (location >> 32, peers[record.peer])
                    sent[trace.comm_name(record.comm), *(ends if record.event == "MPI_SEND" else ends[::-1])] += 1 if record.event == "MPI_SEND" else -1
                    self.assertEqual((record.tag, record.bytes), (9, 4))
        self.assertEqual(set(sent.values()), {0}, "all sent messages are received")
        expected = {("between", a, b) for low in (2, 4) for i in (0, 1) for a, b in ((i, low + i), (low + i, i))}
        expected |= {("all", a, b) for low in (2, 4) for a, b in ((0, 1), (1, low), (low, low + 1), (low + 1, 0))}
        self.assertEqual(set(sent), expected)


if __name__ == "__main__":
    main()
