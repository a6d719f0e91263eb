"""Many processes that read a mount at once and compare each answer, and a watchdog that finds requests without an answer."""
import ctypes
import errno
import multiprocessing
import os
import mmap
import time

NO_ANSWER = 20  # seconds without an answer from a daemon that does nothing
NO_ANSWER_BUSY = 180  # seconds without an answer from a daemon that works
PIECE = 1 << 17
WHOLE = 1 << 19  # bytes: of longer files, readers read slices
MOST_FAULTS = 3
CONTEXT = multiprocessing.get_context("fork")
# Errors of a mount that has ended.
ENDED = {errno.ENOENT, errno.ENOTCONN, errno.ECONNABORTED, errno.EIO, errno.ENODEV, errno.EINTR, errno.ENOTDIR}


class Wrong(Exception):
    """An answer that differs."""


def compare(found, wanted, what):
    if found != wanted:
        at = next((i for i, (a, b) in enumerate(zip(found, wanted)) if a != b), min(len(found), len(wanted)))
        raise Wrong(f"{what}: {len(found)} bytes, not {len(wanted)}, from byte {at} on {bytes(found[at:at + 60])}, "
                    f"not {wanted[at:at + 60]}")


class Direct:
    """Reads files past the kernel's page cache."""

    def __init__(self):
        self.buffer = mmap.mmap(-1, PIECE)

    def read(self, file, offset, length):
        """Returns what one read request returns. Its length is at most PIECE."""
        with memoryview(self.buffer) as view, view[:length] as part:
            return self.buffer[:os.preadv(file, [part], offset)]

    def whole(self, file):
        content = bytearray()
        while piece := self.read(file, len(content), PIECE):
            content += piece
        return content


class Reader:
    """A process that reads random files in random pieces until a time."""

    def __init__(self, root, questions, numbers, slot, ended):
        self.root, self.questions, self.numbers, self.slot, self.ended = root, questions, numbers, slot, ended
        self.direct = Direct()

    def cached(self, path, wanted):
        """Compares a file as read through the kernel's page cache."""
        with open(path, "rb", buffering=0) as file:
            compare(file.read(), wanted, "cached")

    def uncached(self, path, wanted):
        """Compares the size of a file, and the whole or slices as read past the kernel's page cache."""
        file = os.open(path, os.O_RDONLY | os.O_DIRECT)
        try:
            compare(str(os.fstat(file).st_size).encode(), str(len(wanted)).encode(), "st_size")
            if len(wanted) <= WHOLE and self.numbers.random() < 0.5:
                compare(self.direct.whole(file), wanted, "whole")
                return
            for _ in range(self.numbers.randrange(1, 4)):
                offset, length = self.numbers.randrange(len(wanted) + 100), self.numbers.randrange(1, PIECE)
                compare(self.direct.read(file, offset, length), wanted[offset:offset + length], f"{length} bytes at {offset}")
        finally:
            os.close(file)

    def ask(self, question):
        """Compares one answer of the mount."""
        path = os.path.join(self.root, question.path)
        if question.answer is None:
            try:
                self.uncached(path, b"")
            except OSError:
                return
            raise Wrong("it exists, and must not")
        if question.is_folder:
            found = set(os.listdir(path))
            if found != set(question.answer):
                raise Wrong(f"differs in {sorted(found ^ set(question.answer))[:5]}")
        else:
            (self.cached if self.numbers.random() < 0.1 else self.uncached)(path, question.answer)

    def run(self, until):
        """Returns the number of answers, and the descriptions of wrong ones."""
        n, faults = 0, []
        while time.monotonic() < until and len(faults) < MOST_FAULTS:
            number = self.numbers.randrange(len(self.questions))
            question = self.questions[number]
            self.slot[1], self.slot[0] = number, time.monotonic()
            try:
                self.ask(question)
            except (Wrong, OSError) as fault:
                if not self.ended.value:
                    faults.append(f"{question.path}: {fault}")
                elif isinstance(fault, OSError) and fault.errno in ENDED:
                    break
                elif not question.is_folder:  # an unmounted root lists nothing
                    faults.append(f"{question.path}: after the end: {fault}")
            n += 1
            self.slot[0] = 0
        self.slot[0] = 0
        return n, faults


class Crowd:
    """Readers in processes of their own, on one mount."""

    def __init__(self, mount_root, questions, random_of, n, until):
        self.questions, self.until = questions, until
        self.slots = [CONTEXT.RawArray(ctypes.c_double, 2) for _ in range(n)]
        self.ended = CONTEXT.Value(ctypes.c_bool, False, lock=False)
        self.pipes, self.processes = [], []
        for i in range(n):
            reader = Reader(mount_root, questions, random_of(i), self.slots[i], self.ended)
            receiver, sender = CONTEXT.Pipe(duplex=False)
            self.pipes.append(receiver)
            self.processes.append(CONTEXT.Process(target=lambda reader=reader, sender=sender: sender.send(reader.run(until))))
            self.processes[-1].start()
            sender.close()

    def announce_end(self):
        """Lets readers expect that the mount ends."""
        self.ended.value = True

    def working(self):
        return any(process.is_alive() for process in self.processes)

    def hung(self, daemon):
        """Returns a description of a request that gets no answer, or None."""
        for i, (began, number) in enumerate(self.slots):
            waited = time.monotonic() - began if began else 0
            if self.processes[i].is_alive() and waited > NO_ANSWER and (daemon.rested(NO_ANSWER / 2) or waited > NO_ANSWER_BUSY):
                return f"no answer in {waited:.0f} s: {self.questions[int(number)].path}\n{daemon.stacks()}"
        return None

    def results(self):
        """Returns the number of answers, and the faults. Ends all processes."""
        n, faults = 0, []
        for process, pipe in zip(self.processes, self.pipes):
            if pipe.poll(0.1 if process.is_alive() else 0):
                found = pipe.recv()
                n += found[0]
                faults += found[1]
            elif process.is_alive():
                process.kill()
            else:
                faults.append(f"a reader ended with {process.exitcode}")
            process.join()
            pipe.close()
        return n, faults
