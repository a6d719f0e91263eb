"""Programs whose processes exchange messages with neighbours and meet now and then, and traces of them that lack records.

Which send and which receive are one message is known from the whole program.
"""

import subprocess

WORLD = 0
BARRIER, ALLREDUCE = 0, 11
RECEIVES, SENDS = "RJ", "SI"


class Program:
    """`n_procs` processes in a ring. In each step each process sends `each` messages to both neighbours; behind each `between`
    steps all meet. Sizes repeat after `sizes` messages of a process. If it is `crossing`, messages are received behind the meeting
    that follows their step."""

    def __init__(self, dice, n_procs=4, steps=60, each=1, between=1, sizes=1, crossing=False, blocking=False):
        self.dice, self.n_procs, self.each, self.sizes = dice, n_procs, each, sizes
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
                    size = 8 * (1 + self.sent[proc] % self.sizes)
                    self.sent[proc] += 1
                    self.record(proc, "S", peer, WORLD, 7, size, message=self.n_messages)
                    self.group_of[self.n_messages] = (proc, peer)
                    sent.append((proc, peer, size, self.n_messages))
                    self.n_messages += 1
        return sent

    def receive(self, sent):
        """In the order of sending if they block; else the requests complete in another order."""
        for proc in range(self.n_procs):
            mine = [message for message in sent if message[1] == proc]
            if self.blocking:
                for sender, _, size, number in mine:
                    self.record(proc, "R", sender, WORLD, 7, size, message=number)
                continue
            for request in range(len(mine)):
                self.record(proc, "P", request)
            for request, (sender, _, size, number) in self.dice.sample(list(enumerate(mine)), len(mine)):
                self.record(proc, "J", sender, WORLD, 7, size, request, message=number)

    def meet(self, operation):
        for proc in range(self.n_procs):
            self.record(proc, "B")
        for proc in range(self.n_procs):
            self.record(proc, "D", operation, WORLD, 0xffffffff, 8 * (operation != BARRIER), 8 * (operation != BARRIER))

    def write(self, script, folder, name, kept):
        """The archive of some of the records."""
        lines = [f"{proc} {time} {kind} {' '.join(map(str, numbers))}" for proc, time, kind, numbers, _ in kept]
        lines += ["clock 1000000000 0 1000000", f"processes {self.n_procs}", "region 0 main"]
        lines += [f"location {proc} {proc} main" for proc in range(self.n_procs)]
        lines.append(f"world {WORLD} {' '.join(map(str, range(self.n_procs)))}")
        subprocess.run([script, folder, name], input="\n".join(lines) + "\n", text=True, check=True)
        return folder / f"{name}.otf2"


def without(dice, records, kinds, one_in):
    """Records of which one of so many, of some kinds, is lost: at least one."""
    losable = [i for i, record in enumerate(records) if record[2] in kinds]
    lost = set(dice.sample(losable, max(len(losable) // one_in, 1)))
    return [record for i, record in enumerate(records) if i not in lost]


def messages_of(records, kinds):
    """{(process, row): message} of the records of some kinds."""
    rows, found = {}, {}
    for proc, _, kind, _, message in records:
        if kind in kinds:
            found[proc, rows.setdefault(proc, 0)] = message
            rows[proc] += 1
    return found
