"""Commands that a harness kills. Orphans of a command become children of the harness, which waits for them."""
import ctypes
import os
import pathlib
import select
import signal
import subprocess
import time

from xtfrun import Failure

TIMEOUT = 120  # seconds
PR_SET_CHILD_SUBREAPER = 36


def become_subreaper():
    """Makes orphans of all descendants children of this program."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children_of(pid):
    try:
        return {int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
    except OSError:
        return set()


def kill_children():
    """Ends all processes that this program started. A harness that the user interrupts leaves none."""
    for pid in children_of(os.getpid()):
        os.kill(pid, signal.SIGKILL)


class Processes:
    """A command and its children. Orphans become children of this program after become_subreaper()."""

    def __init__(self, command, folder, environment, errors):
        self.others = children_of(os.getpid())
        self.parent = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                                       start_new_session=True)

    def kill(self, victim):
        """Sends SIGKILL to the group, or to the parent or the children alone."""
        if victim == "group":
            os.killpg(self.parent.pid, signal.SIGKILL)
        for pid in {self.parent.pid} if victim == "parent" else children_of(self.parent.pid) if victim == "caller" else ():
            os.kill(pid, signal.SIGKILL)

    def wait_for_parent(self):
        """Returns the status of the parent. Popen.wait() with a timeout would poll."""
        if self.parent.returncode is not None:
            return self.parent.returncode
        process = os.pidfd_open(self.parent.pid)
        ended = select.select([process], [], [], TIMEOUT)[0]
        os.close(process)
        if not ended:
            self.kill("caller")
            os.killpg(self.parent.pid, signal.SIGKILL)
            raise Failure(f"no end after {TIMEOUT} s")
        return self.parent.wait()

    def orphans(self):
        """Returns the processes that became children of this program since the start, except the parent."""
        return children_of(os.getpid()) - self.others - {self.parent.pid}

    def wait(self):
        """Returns the status of the parent after its children have ended, too. Raises a Failure if they do not end."""
        status = self.wait_for_parent()
        end = time.monotonic() + TIMEOUT
        while orphans := self.orphans():
            for pid in orphans:
                if time.monotonic() > end:
                    os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0 if time.monotonic() > end else os.WNOHANG)
            if time.monotonic() > end:
                raise Failure(f"processes {orphans} were left")
            time.sleep(0.0005)
        return status
