"""A process that answers many questions about a trace's tree (ask-tree.c), where `xtf cat` needs a process for each."""

import atexit
import os
import re
import select
import subprocess

from xtfrun import TIMEOUT, Failure

# Complaints of processes that ended with an error, found when the script ends.
complaints = []


class Refused(Failure):
    """An answer that is an error."""


class Asker:
    """Questions about one trace. The process reads only the answered question, so that no answer waits in the pipe. It ends with the object."""

    def __init__(self, xtf, program, trace):
        self.name = f"{os.path.basename(program)} {trace}"
        self.process = subprocess.Popen([program, str(trace)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, preexec_fn=xtf.limit)

    def ask(self, question):
        """Returns the answer in bytes. Raises a Failure with the message of an error."""
        try:
            self.process.stdin.write(question.encode("utf-8", "surrogateescape") + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self.failure(question) from None
        if not select.select([self.process.stdout], [], [], TIMEOUT)[0]:
            self.process.kill()
            raise Failure(f"{question}: no answer after {TIMEOUT} s")
        head = self.process.stdout.readline().split()
        if len(head) != 2:
            raise self.failure(question)
        answer = self.process.stdout.read(int(head[1]))
        if head[0] != b"0":
            raise Refused(f"{question}: {answer.decode(errors='replace')}")
        return answer

    def failure(self, question):
        """Returns the exception for a question without an answer, for example if the trace could not be opened."""
        complaint = self.end()
        refused = complaint and re.search(r": ended with 1: ask-tree: .*\n$", complaint)
        return (Refused if refused else Failure)(f"{question}: {complaint}")

    def end(self):
        """Ends the process. Returns None if it ended without an error, else a complaint."""
        process, self.process = self.process, None
        if process is None:
            return "the process ended earlier"
        _, errors = process.communicate()
        if process.returncode == 0 and not errors:
            return None
        return f"{self.name}: ended with {process.returncode}: {errors.decode(errors='replace')[-2000:]}"

    def __del__(self):
        if self.process is not None:
            complaint = self.end()
            if complaint:
                complaints.append(complaint)


def report_complaints():
    if complaints:
        print("\n".join(complaints), flush=True)
        os._exit(1)


atexit.register(report_complaints)
