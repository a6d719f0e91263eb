"""Programs whose processes exchange messages with neighbours and sometimes meet, and traces of them that lack records. The whole
program says which send and which receive are one message.
"""

import subprocess

WORLD = 0
LENGTH_MAX = 2 ** 64 - 1
BARRIER, ALLREDUCE = 0, 11
RECEIVES, SENDS = "RJ", "SI"


class Program:
    """A program of `n_procs` processes in a ring. In each step each process sends `each` messages to both neighbours. After each
    `between` steps all processes meet. Sizes repeat after `sizes` messages of a process. With `crossing`, messages are
    received after the meeting that follows their step. With `extreme`, their lengths are 0 and LENGTH_MAX in turn."""

    def __init__(self, dice, n_procs=4, steps=60, each=1, between=1, sizes=1, crossing=False, blocking=False, extreme=False):
        self.dice, self.n_procs, self.each, self.sizes, self.extreme = dice, n_procs, each, sizes, extreme
        self.crossing, self.blocking = crossing, blocking
        self.times = [dice.randrange(100000) for _ in range(n_procs)]
        # [(process, time, letter, numbers, message or None)]
        self.records, self.n_messages, self.sent = [], 0, [0] * n_procs
        self.group_of = {}  # {message: (sender, receiver)}
        waiting = []
        for step in range(steps):
            sent = self.exchange()
            if not crossing:
                self.receive(sent)
            if step % between == between - 1:
                self.meet(dice.choice([BARRIER, ALLREDUCE]))
            if crossing:
                self.receive(waiting + sent)
                waiting = []

    def record(self, proc, kind, *numbers, message=None):
        self.times[proc] += self.dice.randrange(1, 9)
        self.records.append((proc, self.times[proc], kind, numbers, message))

    def exchange(self):
        sent = []
        for proc in range(self.n_procs):
            for peer in {(proc + 1) % self.n_procs, (proc - 1) % self.n_procs} - {proc}:
                for _ in range(self.each):
                    size = (0, LENGTH_MAX)[self.sent[proc] % 2] if self.extreme else 8 * (1 + self.sent[proc] % self.sizes)
                    self.sent[proc] += 1
                    self.record(proc, "S", peer, WORLD, 7, size, message=self.n_messages)
                    self.group_of[self.n_messages] = (proc, peer)
                    sent.append((proc, peer, size, self.n_messages))
                    self.n_messages += 1
        return sent

    def receive(self, sent):
        """Receives messages: in the order of sending if receives block, else as requests that complete in another order."""
        for proc in range(self.n_procs):
            received = [message for message in sent if message[1] == proc]
            if self.blocking:
                for sender, _, size, number in received:
                    self.record(proc, "R", sender, WORLD, 7, size, message=number)
                continue
            for request in range(len(received)):
                self.record(proc, "P", request)
            for request, (sender, _, size, number) in self.dice.sample(list(enumerate(received)), len(received)):
                self.record(proc, "J", sender, WORLD, 7, size, request, message=number)

    def meet(self, operation):
        for proc in range(self.n_procs):
            self.record(proc, "B")
        for proc in range(self.n_procs):
            self.record(proc, "D", operation, WORLD, 0xffffffff, 8 * (operation != BARRIER), 8 * (operation != BARRIER))

    def write(self, script, folder, name, kept):
        """Writes an archive of the `kept` records."""
        lines = [f"{proc} {time} {kind} {' '.join(map(str, numbers))}" for proc, time, kind, numbers, _ in kept]
        lines += ["clock 1000000000 0 1000000", f"processes {self.n_procs}", "region 0 main"]
        lines += [f"location {proc} {proc} main" for proc in range(self.n_procs)]
        lines.append(f"world {WORLD} {' '.join(map(str, range(self.n_procs)))}")
        subprocess.run([script, folder, name], input="\n".join(lines) + "\n", text=True, check=True)
        return folder / f"{name}.otf2"


def without(dice, records, kinds, one_in):
    """Returns the records without one in `one_in` records of some kinds; at least one is lost."""
    losable = [i for i, record in enumerate(records) if record[2] in kinds]
    lost = set(dice.sample(losable, max(len(losable) // one_in, 1)))
    return [record for i, record in enumerate(records) if i not in lost]


def messages_of(records, kinds):
    """Returns {(process, row): message} for the records of some kinds."""
    rows, found = {}, {}
    for proc, _, kind, _, message in records:
        if kind in kinds:
            found[proc, rows.setdefault(proc, 0)] = message
            rows[proc] += 1
    return found
