"""Questions about a trace's tree, and their answers by a process that asks alone (tests/roundtrip/ask-tree.c)."""
import dataclasses
import os

from asking import Asker, Refused

MOST = 2 << 20  # bytes of an answer: of longer ones, few are kept
FRACTION_LONG = 0.02
# Folders that no listing names, or not in full. A question takes the folder, or a file that its listing names. {from} and {to} are per cent
# of the trace, and {at} is between them. {n} is a small number, {few} is less than the number of processes.
TEMPLATES = [
    "time/{from}%-{to}%",
    "time/{from}%-{to}%/proc/{few}",
    "proc/-{few}/time/{from}%-{to}%",
    "calls/time/{from}%-{to}%",
    "calls/num/{n}",
    "messages/time/{from}%-{to}%",
    "messages/num/{n}",
    "operations/time/{from}%-{to}%",
    "waits/time/{from}%-{to}%",
    "waits/num/{n}",
    "delays/time/{from}%-{to}%",
    "critical/time/{from}%-{to}%",
    "ideal/time/{from}%-{to}%",
    "activity/time/{from}%-{to}%",
    "at/{at}%",
    "proc/{few}/at/{at}%",
    "by/time:{n}",
    "by/proc",
    "by/region/time/{from}%-{to}%",
    "by/class",
    "time/{from}%-{to}%/by/proc",
    "proc/{few}/by/time:{n}",
    "frames/{n}fps/0",
    "frames/25fps/{n}",
    "region/MPI_*/time/{from}%-{to}%",
    "class/mpi/time/{from}%-{to}%",
    "peer/{few}/time/{from}%-{to}%",
    "num/{n}",
    "num/{n}-{n}9",
    "proc/{few}/num/{n}",
    "time/{from}%-{to}%/num/{n}",
    "nothing/{n}",
]
# The same for a trace with call sites (sites/sited.py), and for measured networks.
OF_SITES = ["by/site", "by/site/by/thread", "site/called.c", "site/called.c:7/time/{from}%-{to}%", "site/called.c:11/proc/0", "thread/0/by/site",
            "time/{from}%-{to}%", "by/time:{n}"]
OF_NETWORK = ["length/{n}00", "at/{n}00", "length/{from}%-{to}%", "pair/{few}/{few}", "median/pair/0/{few}", "proc/{few}/at/{n}00",
              "average/at/1000", "clusters/{n}00", "num/{n}"]
FILES_OF_FOLDER = 4


@dataclasses.dataclass
class Question:
    """One path with its answer: the bytes of a file, the names in a folder, or None if the path must not exist."""

    path: str
    is_folder: bool
    answer: object


class AskTree:
    """The process that answers alone."""

    def __init__(self, program, trace):
        self.asker = Asker(self, program, trace)

    def limit(self):
        """Sets no limit: asking.py calls this in the child process."""

    def names(self, path):
        return self.asker.ask("ls " + path).decode("utf-8", "surrogateescape").split("\n")[:-1]

    def question(self, path):
        """Returns the question with its answer."""
        for is_folder in False, True:
            try:
                return Question(path, is_folder, self.names(path) if is_folder else self.asker.ask("cat " + path))
            except Refused as refused:
                if not str(refused).endswith("is a directory"):
                    break
        return Question(path, False, None)

    def end(self):
        complaint = self.asker.end()
        if complaint:
            raise AssertionError(complaint)


def walk(root):
    """Returns the paths of all folders and files below a mount, without links."""
    found = []
    for folder, folders, files in os.walk(root):
        below = os.path.relpath(folder, root)
        found += [os.path.normpath(os.path.join(below, name)) for name in [*folders, *files]
                  if not os.path.islink(os.path.join(folder, name))]
    return sorted(found)


def fill(template, numbers, processes):
    """Fills a template with random numbers."""
    bounds = sorted(numbers.sample(range(100001), 3))
    first, at, last = (f"{bound / 1000:.3f}" for bound in bounds)
    return template.format(**{"from": first, "at": at, "to": last, "n": numbers.randrange(1, 60), "few": numbers.randrange(processes)})


def choose_paths(asked, templates, numbers, processes):
    """Returns the path of a template's folder and of some files in it."""
    folder = fill(numbers.choice(templates), numbers, processes)
    try:
        names = asked.names(folder)
    except Refused:
        return [folder]
    return [folder, *(f"{folder}/{name}" for name in numbers.sample(names, min(FILES_OF_FOLDER, len(names))))]


def make_questions(asked, walked, templates, numbers, count, budget):
    """Returns about `count` questions, half of them about walked paths. The answers have at most `budget` bytes together."""
    processes = len(asked.names("proc"))
    questions, total = [], 0
    while len(questions) < count and total < budget:
        paths = [numbers.choice(walked)] if numbers.random() < 0.5 else choose_paths(asked, templates, numbers, processes)
        for question in map(asked.question, paths):
            size = len(question.answer or b"")
            if question.is_folder or size < MOST or numbers.random() < FRACTION_LONG:
                questions.append(question)
                total += size if not question.is_folder else 0
    return questions
