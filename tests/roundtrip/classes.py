"""Classes of regions and efficiencies, computed from otf2-print's lines by the rules of docs/TREE.md. The code shares nothing with the C code."""

import re
from fractions import Fraction

from naive import BEFORE, overlap

MPI = ("p2p", "wait", "collective", "barrier", "rma", "mpi-io", "mpi-init", "mpi-other")
OMP = ("omp-work", "omp-sync", "omp-other")
NAMES = ("program", *MPI, *OMP, "threads", "pgas", "offload", "io", "measurement", "unrecorded")
USEFUL = ("program", "omp-work")
GROUPS = {"mpi": MPI, "omp": OMP, "useful": USEFUL}

# By OTF2's numbers. Where an archive defines paradigms, otf2-print shows `"MPI" <4>`.
PARADIGMS = ("UNKNOWN USER COMPILER OPENMP MPI CUDA MEASUREMENT_SYSTEM PTHREAD HMPP OMPSS HARDWARE GASPI UPC SHMEM WINTHREAD QTTHREAD "
             "ACETHREAD TBBTHREAD OPENACC OPENCL MTAPI SAMPLING NONE HIP KOKKOS").split()

COLLECTIVES = "(neighbor_)?(all(gatherv?|reduce|toall[vw]?)|bcast|(ex)?scan|gatherv?|reduce(_scatter(_block)?)?|scatterv?)"
MPI_FUNCTIONS = [
    ("barrier", "i?barrier(_init)?"),
    ("collective", f"i?{COLLECTIVES}(_init)?"),
    ("wait", "(wait|test)(all|any|some)?|i?m?probe|request_get_status.*|parrived"),
    ("p2p", "i?[bsr]?send|[bsrp]?send_init|i?sendrecv(_replace)?|i?m?recv|p?recv_init|start(all)?|pready.*|cancel|"
            "(comm_|session_)?(attach|detach|i?flush)_buffer|buffer_.*"),
    ("rma", "r?(put|get|accumulate|get_accumulate)|fetch_and_op|compare_and_swap|win_.*"),
    ("mpi-io", "file_.*|register_datarep"),
    ("mpi-init", "init(_thread)?|finalize|session_(init|finalize)"),
]
OTHER_MPI = ("(comm|group|type|info|errhandler|op|cart|graph|dist_graph|attr|keyval|session|request|status|topo|t|address|aint|error|"
             "add_error|get|intercomm|pack|unpack|is|query|free|alloc)_.*|abort|wtime|wtick|initialized|finalized|pcontrol|"
             "test_cancelled|reduce_local|address|pack|unpack|dims_create|cartdim_get|graphdims_get")
MPI_ROLES = {"POINT2POINT": "p2p", "BARRIER": "barrier", "RMA": "rma"}
OMP_ROLES = {"PARALLEL": "omp-work", "LOOP": "omp-work", "CODE": "omp-work", "SECTIONS": "omp-work", "SECTION": "omp-work",
             "WORKSHARE": "omp-work", "SINGLE": "omp-work", "SINGLE_SBLOCK": "omp-work", "MASTER": "omp-work",
             "CRITICAL_SBLOCK": "omp-work", "ORDERED_SBLOCK": "omp-work", "TASK": "omp-work", "TASK_UNTIED": "omp-work",
             "BARRIER": "omp-sync", "IMPLICIT_BARRIER": "omp-sync", "CRITICAL": "omp-sync", "ATOMIC": "omp-sync",
             "TASK_CREATE": "omp-other", "THREAD_CREATE": "omp-other", "FLUSH": "omp-other", "ARTIFICIAL": "omp-other",
             "ALLOCATE": "omp-other", "DEALLOCATE": "omp-other", "REALLOCATE": "omp-other",
             "ORDERED": "omp-sync", "TASK_WAIT": "omp-sync", "THREAD_WAIT": "omp-sync", "DATA_TRANSFER": "offload"}


def mpi_function(name):
    """Returns the class of a function of MPI, or None if the name is no such function."""
    found = re.match(r"(?i:p?mpi_)(\w+)", name)
    if not found:
        return None
    plain = re.sub("(_f08(ts)?)?_*$", "", found[1].lower())
    for form in (plain, re.sub("_c$", "", plain)):
        if form == "test_cancelled" or form == "reduce_local":
            return "mpi-other"
        for name_of_class, functions in MPI_FUNCTIONS:
            if re.fullmatch(functions, form):
                return name_of_class
    return "mpi-other" if re.match("P?MPI_[A-Z]", name) or re.fullmatch(OTHER_MPI, plain) else None


def omp_name(name):
    if re.search("barrier|critical|ordered|lock|taskwait|mutex|atomic|(loop|sections|parallel|taskgroup)_end", name):
        return "omp-sync"
    works = re.search("parallel|loop|task|section|single|master|implicit|fork", name)
    return "omp-work" if works and not re.search("^omp_|task_create|task_alloc|_start", name) else "omp-other"


def by_name(name):
    if re.match("omp_|GOMP_|__kmpc_|OpenMP |POMP2_", name):
        return omp_name(name)
    for name_of_class, pattern in (("threads", "pthread_|sem_(wait|post|trywait|timedwait|init|destroy|open|close)$"),
                                   ("pgas", "shmem_|gaspi_"), ("offload", "(cuda|hip|clEnqueue)[A-Z]|acc_"),
                                   ("io", "f?(open|close|read|write)(64)?$|p(read|write)(v|64)?$")):
        if re.match(pattern, name):
            return name_of_class
    return "program"


def region_class(name, paradigm, role):
    artificial = role == "ARTIFICIAL"
    if artificial and name == "MEASUREMENT OFF":
        return "unrecorded"
    if artificial and name in ("TRACE BUFFER FLUSH", "THREADS", "TASKS"):
        return "measurement"
    if not artificial and (paradigm == "MEASUREMENT_SYSTEM" or name.startswith("EZTrace ")):
        return "measurement"
    if paradigm in ("MPI", "UNKNOWN", "USER", "NONE", "HARDWARE"):
        found = mpi_function(name)
        if found:
            return found
    if paradigm == "MPI":
        return "collective" if role.startswith("COLL_") else "mpi-io" if role.startswith("FILE_IO") else \
            MPI_ROLES.get(role, "mpi-other")
    if paradigm in ("OPENMP", "OMPSS"):
        return OMP_ROLES.get(role) or omp_name(name)
    if role.startswith("FILE_IO"):
        return "io"
    for name_of_class, paradigms in (("threads", "PTHREAD WINTHREAD QTTHREAD ACETHREAD TBBTHREAD MTAPI"), ("pgas", "GASPI UPC SHMEM"),
                                     ("offload", "CUDA HMPP OPENACC OPENCL HIP")):
        if paradigm in paradigms.split():
            works = name_of_class == "threads" and OMP_ROLES.get(role) == "omp-work"
            return "program" if works else name_of_class
    if paradigm in ("COMPILER", "SAMPLING", "MEASUREMENT_SYSTEM", "KOKKOS"):
        return "program"
    if role in MPI_ROLES or role.startswith("COLL_"):
        return MPI_ROLES.get(role, "collective")
    if role in ("IMPLICIT_BARRIER", "CRITICAL", "ORDERED"):
        return "omp-sync"
    if role in ("THREAD_CREATE", "THREAD_WAIT", "DATA_TRANSFER"):
        return "offload" if role == "DATA_TRANSFER" else "threads"
    return by_name(name) if role in ("UNKNOWN", "FUNCTION", "WRAPPER") else "program"


def classes(expected):
    """Returns {a region's key: its class}. The first definition of a key counts."""
    found = {}
    for number, text in expected.definitions.get("REGION", []):
        match = re.search(r', Role: (\w+), Paradigm: (?:".*?" <(\d+)>|(\w+)), Flags', text, re.S)
        key = expected.region(number)
        if match and key not in found and isinstance(key, tuple):
            paradigm = PARADIGMS[int(match[2])] if match[2] else match[3]
            found[key] = region_class(key[0] or "", paradigm, match[1])
    return found


# Figures of traces with an analysis of waits, which these traces lack.
OF_ANALYSES = ("serialization", "transfer", "serialization_ideal", "transfer_ideal", "mpi_unexplained")


class Efficiency:
    """Efficiencies of one trace. Keys that are not in `classes` are the program."""

    def __init__(self, naive):
        self.naive = naive
        self.classes = classes(naive.expected)
        self.communicates = any(name in (*MPI, "pgas") for name in self.classes.values())
        self.has_omp = any(name in OMP for name in self.classes.values())
        types = {number: re.search(r"Type: (\w+)", text)[1] for number, text in naive.expected.definitions.get("LOCATION", [])}
        self.streams = {number for number, name in types.items() if name in ("ACCELERATOR_STREAM", "METRIC")}
        self.focus = self.find_focus()

    def class_of(self, region):
        return self.classes.get(region, "program")

    def find_focus(self):
        """Returns the window from the last end of MPI_Init to the first begin of MPI_Finalize, or None if there is neither."""
        begins, ends = [], []
        for location in self.naive.locations:
            for name, times, at in (("init(_thread)?", begins, -1), ("finalize", ends, 0)):
                calls = [call.time for call in location.calls if self.class_of(call.region) == "mpi-init" and
                         re.fullmatch(f"(?i:p?mpi_){name}_*", call.region[0].lower())]
                times += calls[at:][:1]
        if not begins and not ends:
            return None
        begin = max(begins, default=self.naive.expected.origin)
        return begin, max(begin, min(ends, default=self.naive.expected.end))

    def by_class(self, location, a, b):
        """Returns {class: [calls, exclusive]} of one location, with BEFORE."""
        found = {}
        for region, (calls, _, exclusive) in self.naive.profile([location], a, b).items():
            name = BEFORE if region == BEFORE else self.class_of(region)
            total = found.setdefault(name, [0, 0])
            total[0] += calls
            total[1] += exclusive
        return found

    def is_first(self, location):
        return location.number == min((candidate for candidate in self.naive.locations
                                       if candidate.proc == location.proc and candidate.number not in self.streams),
                                      key=lambda candidate: candidate.thread).number

    def recorded(self, locations, a, b):
        """Returns the locations of processes that were recorded as long as the best one, to a hundredth of the window. Also returns
        the least time in which a process was not recorded. A process has the mean of its threads with calls."""
        off = {}
        for location in locations:
            times = off.setdefault(location.proc, [])
            if location.calls and location.number not in self.streams:
                times.append(self.by_class(location, a, b).get("unrecorded", (0, 0))[1])
        off = {proc: sum(times) // len(times) if times else 0 for proc, times in off.items()}
        least = min(off.values(), default=0)
        return [location for location in locations if off[location.proc] <= least + (b - a) // 100], least

    def figures(self, locations, a, b):
        """Returns {figure: (value or None, process or None)}."""
        locations, unrecorded = self.recorded(locations, a, b)
        width = b - a - min(unrecorded, b - a)
        useful, outside = {}, {}
        for location in locations:
            if not location.calls or location.number in self.streams:
                continue
            span = overlap(location.first, location.last, a, b)
            times = {name: exclusive for name, (_, exclusive) in self.by_class(location, a, b).items()}
            lost = sum(time for name, time in times.items() if name != BEFORE and name not in USEFUL)
            idle = span - sum(times.values()) if self.has_omp and not self.is_first(location) else 0
            useful.setdefault(location.proc, []).append(span - lost - idle)
            outside.setdefault(location.proc, span - sum(times.get(name, 0) for name in MPI))
        useful = {proc: Fraction(sum(times), len(times)) for proc, times in useful.items()}
        found = ratio_figures("", useful, width) | dict.fromkeys(OF_ANALYSES, (None, None))
        if self.has_omp:
            found |= ratio_figures("mpi_", outside, width)
            mpi = sum(outside.values())
            found["openmp_parallel_efficiency"] = (sum(useful.values()) / mpi if mpi else None, None)
        if not self.communicates:
            found = {name: figure for name, figure in found.items() if name not in OF_ANALYSES and not name.startswith(("communication", "mpi"))}
        return found


def ratio_figures(prefix, times, width):
    mean = Fraction(sum(times.values()), len(times)) if times else None
    most = max(times.values(), default=0)
    proc = min((proc for proc, time in times.items() if time == most), default=None) if most else None
    return {f"{prefix}parallel_efficiency": (mean / width if times and width else None, None),
            f"{prefix}load_balance": (mean / most if most else None, proc),
            f"{prefix}communication_efficiency": (Fraction(most) / width if times and width else None, proc)}
