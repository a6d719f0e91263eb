"""Attempts of another user of the machine. The harness runs as root; a child process becomes that user and tries."""
import ctypes
import errno
import os
import signal

OTHER = 65534  # the number of the other user and group
REFUSALS = {"EACCES", "EPERM", "EROFS", "ENOENT", "ESRCH", "ELOOP"}
LIBC = ctypes.CDLL(None, use_errno=True)
SECONDS = 20  # until an attempt is ended


def become_other():
    """Makes this process one of the other user, without any other group or capability."""
    os.setgroups([])
    os.setresgid(OTHER, OTHER, OTHER)
    os.setresuid(OTHER, OTHER, OTHER)


def result_of(action, as_other):
    """Returns "allowed", the name of an error, or words on another end, of an action in a child process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        word = "allowed"
        try:
            signal.alarm(SECONDS)
            if as_other:
                become_other()
            action()
        except OSError as error:
            word = errno.errorcode.get(error.errno, str(error))
        except BaseException as error:  # pylint: disable=broad-exception-caught
            word = repr(error)
        os.write(writer, word.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        word = file.read()
    status = os.waitpid(child, 0)[1]
    return word or f"ended with status {status}"


def call(name, *arguments):
    """Calls a function of libc; an error is an exception."""
    if getattr(LIBC, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def read(path):
    with open(path, "rb") as file:
        file.read(1)


def write(path):
    os.close(os.open(path, os.O_WRONLY))


def create(path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


class Attempts:
    """The attempts of one row. Counts them, and reports each with a wrong result."""

    def __init__(self, torture, row):
        self.torture, self.row, self.number = torture, row, 0

    def check(self, condition, *words):
        self.torture.count()
        self.number += 1
        return self.torture.check(condition, self.row, self.number, *words)

    def refused(self, what, action, proved=True):
        """Checks that the other user may not do something. With `proved` the owner then does it, or the attempt would prove nothing."""
        result = result_of(action, True)
        self.check(result in REFUSALS, f"another user may {what}: {result}")
        if proved:
            result = result_of(action, False)
            self.torture.check(result == "allowed", self.row, self.number, f"the owner may not {what}, so the attempt proves nothing: {result}")

    def allowed(self, what, action):
        result = result_of(action, True)
        self.check(result == "allowed", f"another user may not {what}: {result}")

    def process(self, pid, what):
        """Checks that the other user can neither look into a process nor signal it."""
        for name in "mem", "environ", "maps":
            self.refused(f"read {name} of {what}", lambda name=name: os.close(os.open(f"/proc/{pid}/{name}", os.O_RDONLY)))
        self.refused(f"list the descriptors of {what}", lambda: os.listdir(f"/proc/{pid}/fd"))
        for number in os.listdir(f"/proc/{pid}/fd"):
            if os.path.exists(f"/proc/{pid}/fd/{number}"):
                self.refused(f"open descriptor {number} of {what}", lambda number=number: os.stat(f"/proc/{pid}/fd/{number}"))
        self.refused(f"attach to {what}", lambda: call("ptrace", 0x4206, pid, 0, 0))  # PTRACE_SEIZE
        self.refused(f"signal {what}", lambda: os.kill(pid, 0))

    def folder(self, path, what):
        """Checks that the other user can neither list, read nor change a folder. The owner must be able to."""
        self.refused(f"list {what}", lambda: os.listdir(path))
        self.refused(f"make a file in {what}", lambda: create(f"{path}/of-another"), proved=False)
        for name in os.listdir(path):
            self.refused(f"read {name} of {what}", lambda name=name: read(f"{path}/{name}"), proved=os.path.isfile(f"{path}/{name}"))
            self.refused(f"write {name} of {what}", lambda name=name: write(f"{path}/{name}"), proved=os.path.isfile(f"{path}/{name}"))
            self.refused(f"remove {name} of {what}", lambda name=name: os.unlink(f"{path}/{name}"), proved=False)
