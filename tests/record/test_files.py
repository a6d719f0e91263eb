#!/usr/bin/env python3
"""Recorded MPI-IO: the records of each call of programs/files.c, against the program's text.

usage: test_files.py
"""

from recording import Case, main, mpis, with_large

N = 40  # bytes of 10 numbers


def blocking(call, mode, asked, moved, flags=0):
    return f"MPI_File_{call}: begin {mode} {flags} {asked} complete {moved}"


def started(call, mode, asked, flags):
    return f"MPI_File_{call}: begin {mode} {flags} {asked} issued"


def expected_of(process, program_folder):
    """Yields the expected records. Flags: 1 non-blocking, 2 collective."""
    data = f"{program_folder}/data"
    yield f"MPI_File_open: open READ_WRITE 1 0 {data}"
    yield blocking("write_at", "WRITE", N, N)
    yield blocking("write_at_all", "WRITE", N, N, 2)
    yield blocking("read_at", "READ", N, N)
    yield blocking("read_at_all", "READ", N, N, 2)
    yield from (started("iwrite_at", "WRITE", N, 1), f"MPI_Wait: complete {N}")
    yield from (started("iread_at", "READ", N, 1), f"MPI_Wait: complete {N}")
    yield from (started("write_at_all_begin", "WRITE", N, 3), f"MPI_File_write_at_all_end: complete {N}")
    yield from (started("read_at_all_begin", "READ", N, 3), f"MPI_File_read_at_all_end: complete {N}")
    # use_duplicated_type()
    yield blocking("write_at", "WRITE", N, N)
    yield from (started("iread_at", "READ", N, 1), f"MPI_Wait: complete {N}")
    yield from (started("read_at_all_begin", "READ", N, 3), f"MPI_File_read_at_all_end: complete {N}")
    # use_file_pointer()
    yield f"MPI_File_seek: seek FROM_START {process * N} {process * N}"
    yield blocking("write", "WRITE", N, N)
    yield f"MPI_File_seek: seek FROM_CURRENT -{N} {process * N}"
    yield blocking("read", "READ", N, N)
    yield blocking("sync", "FLUSH", 0, 0)
    yield f"MPI_File_seek: seek FROM_END -4 {2 * N - 4}"
    yield blocking("read", "READ", N, 4)
    yield "MPI_File_seek: seek FROM_START 0 0"
    yield from (started("iread", "READ", N, 1), f"MPI_Wait: complete {N}")
    yield "MPI_File_seek: seek FROM_START 0 0"
    own = N if process == 0 else 0
    yield blocking("write_all", "WRITE", own, own, 2)
    yield "MPI_File_seek: seek FROM_START 0 0"
    yield from (started("read_all_begin", "READ", 2 * N, 3), f"MPI_File_read_all_end: complete {2 * N}")
    # use_shared_pointer()
    yield "MPI_File_seek_shared: seek FROM_START 0 0"
    yield blocking("write_ordered", "WRITE", N, N, 2)
    yield blocking("write_shared", "WRITE", N, N)
    yield f"MPI_File_seek_shared: seek FROM_END -{N} None"
    yield "MPI_File_seek_shared: seek FROM_START 0 0"
    yield from (started("read_ordered_begin", "READ", N, 3), f"MPI_File_read_ordered_end: complete {N}")
    # use_view(): every second number is the process's; number 1 of its view is number 2 of the file, after the file's first bytes
    yield blocking("write_all", "WRITE", N, N, 2)
    yield f"MPI_File_seek: seek FROM_START 1 {8 + 4 * process}"
    yield f"MPI_File_close: close {data}"
    yield f"MPI_File_open: open READ_ONLY 0 0 {data}"
    yield blocking("read", "READ", 4, 4)
    # read_very_many(): the whole file; use_shared_pointer() has written two times N for each process
    yield blocking("read_at", "READ", 3 << 30, 4 * N)
    yield f"MPI_File_close: close {data}"
    if process == 0:
        yield f"MPI_File_delete: delete {data} MPI-IO"


class Files(Case):
    def text(self, trace, record):
        values = dict(vars(record))
        if record.event == "IO_DELETE_FILE":
            return f"delete {trace.text('io_files', record.file)} {trace.text('io_paradigms', record.io_paradigm)}"
        handle = trace.tables["io_handles"][record.handle]
        values["file"] = trace.text("io_files", handle["file"])
        return {"IO_CREATE_HANDLE": "open {mode} {creation_flags} {status_flags} {file}", "IO_DESTROY_HANDLE": "close {file}",
                "IO_SEEK": "seek {whence} {offset} {result}", "IO_OPERATION_BEGIN": "begin {mode} {operation_flags} {requested}",
                "IO_OPERATION_ISSUED": "issued", "IO_OPERATION_COMPLETE": "complete {bytes}"}[record.event].format(**values)

    def check_matching(self, trace, process):
        under_way = set()
        for record in trace.records[process << 32]:
            if record.event == "IO_OPERATION_BEGIN":
                self.assertNotIn(record.matching, under_way)
                under_way.add(record.matching)
            elif record.event == "IO_OPERATION_ISSUED":
                self.assertIn(record.matching, under_way)
            elif record.event == "IO_OPERATION_COMPLETE":
                under_way.remove(record.matching)
        self.assertEqual(under_way, set())

    def check_definitions(self, trace):
        """Checks that there is one handle of both processes, and one of each."""
        self.assertEqual(len(trace.tables["io_files"]), 1)
        self.assertEqual(sorted(trace.comm_name(row["comm"]) for row in trace.tables["io_handles"]), ["MPI_COMM_SELF", "MPI_COMM_SELF", "MPI_COMM_WORLD"])
        self.assertEqual({trace.text("io_paradigms", row["io_paradigm"]) for row in trace.tables["io_handles"]}, {"MPI-IO"})

    def check_program(self, mpi, program, large=()):
        """Checks a program. `large`: functions that are replaced by their versions for large counts."""
        trace, output = self.recorded(mpi, 2, program)
        self.assertNotIn("opened", output)
        self.check_definitions(trace)
        for process in range(2):
            calls = [(call.name, [record for record in call.records if record.event.startswith("IO_")]) for call in trace.calls(process)]
            found = [f"{name}: {' '.join(self.text(trace, record) for record in records)}" for name, records in calls if records]
            self.maxDiff = None
            self.assertEqual(found, [with_large(line, large) for line in expected_of(process, self.folder)])
            self.check_matching(trace, process)

    def test_files(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                self.check_program(mpi, self.compile(mpi, "files"))

    def test_large_counts(self):
        if "mpich" not in mpis():
            self.skipTest("no installed MPI has functions for large counts")
        self.check_program("mpich", *self.compile_large("mpich", "files", "io"))


if __name__ == "__main__":
    main()
