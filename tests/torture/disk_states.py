"""States that a disk may hold after a power cut, built from the log of the preloaded library disk-log.c.

A finished sync of a file brings all earlier writes to the disk, and a finished sync of a folder all earlier names. The disk holds
any sectors of 512 bytes of all other writes. It holds the changes of names up to some point.
"""
import pathlib
import struct

HEAD = struct.Struct("<8sQQQQ")
SECTOR = 512
SLOTS = 8192  # both superblocks are below this offset, one in each half
STYLES = ("all", "none", "torn", "writes", "sectors", "without one", "only one", "few sectors")
# States after a superblock was written: no other write has reached the disk, or all but a sector of one.
COMMIT_STYLES = ("superblocks", "but one sector")


class Op:
    """A call of the log: w and t change the file `inode`, n, r and u change names, b and s are syncs."""

    def __init__(self, kind, inode, offset, path, data):
        self.kind, self.inode, self.offset, self.path, self.data = kind, inode, offset, path, data

    def apply(self, image, sectors=None):
        """Changes an image of the file. `sectors` chooses parts of a write: a function of a sector's number."""
        if self.kind == "t":
            if len(image) > self.offset:
                del image[self.offset:]
            image.extend(bytes(self.offset - len(image)))
            return
        at = self.offset
        while at < self.offset + len(self.data):
            end = min(at - at % SECTOR + SECTOR, self.offset + len(self.data)) if sectors else self.offset + len(self.data)
            if not sectors or sectors(at // SECTOR):
                if len(image) < at:
                    image.extend(bytes(at - len(image)))
                image[at:end] = self.data[at - self.offset:end - self.offset]
            at = end


def read_log(path):
    """Returns the calls of a log."""
    data, at, ops = path.read_bytes() if path.exists() else b"", 0, []
    while at < len(data):
        kind, inode, offset, path_length, length = HEAD.unpack_from(data, at)
        at += HEAD.size
        ops.append(Op(chr(kind[0]), inode, offset, data[at:at + path_length].decode(), data[at + path_length:at + path_length + length]))
        at += path_length + length
    return ops


class Disk:
    """A folder before the calls of a log, and the calls."""

    def __init__(self, folder):
        """Stores what is in the folder before. The files keep their inodes."""
        self.folder, self.ops = str(folder), []
        self.names, self.before = {}, {}
        for path in pathlib.Path(folder).rglob("*"):
            if path.is_file():
                inode = path.stat().st_ino
                self.names[str(path)] = inode
                self.before[inode] = path.read_bytes()

    def synced_before(self, cut, about):
        """Returns the number of first calls that the last sync which ended before `cut` has brought to the disk. `about` is
        true for a sync of the file or folder."""
        begun, synced = [], 0
        for i, op in enumerate(self.ops[:cut]):
            if op.kind == "b" and about(op):
                begun.append(i)
            elif op.kind == "s" and about(op) and begun:
                synced = max(synced, begun.pop(0))
        return synced

    def image(self, inode, cut):
        """Returns the file's content after the first `cut` calls."""
        image = bytearray(self.before.get(inode, b""))
        for op in self.ops[:cut]:
            if op.inode == inode and op.kind in "wt":
                op.apply(image)
        return image

    def synced_image(self, inode, cut):
        """Returns the number of calls whose writes of a file are on the disk for certain at `cut`."""
        return self.synced_before(cut, lambda op: op.inode == inode)

    def named(self, cut):
        """Returns {path: inode} after the first `cut` calls, as programs see it."""
        return self.apply_names(dict(self.names), range(cut))

    def apply_names(self, names, indices):
        for i in indices:
            op = self.ops[i]
            if op.kind == "n":
                names[op.path] = op.inode
            elif op.kind == "u":
                names.pop(op.path, None)
            elif op.kind == "r" and op.path in names:
                names[op.data.decode()] = names.pop(op.path)
        return names

    def pending_names(self, cut):
        """Returns the certain names at `cut`, and the calls that changed others since."""
        folders = {str(pathlib.Path(op.path).parent) for op in self.ops[:cut] if op.kind in "nru"}
        synced = {folder: self.synced_before(cut, lambda op, folder=folder: op.path == folder) for folder in folders}
        changes = [i for i, op in enumerate(self.ops[:cut]) if op.kind in "nru"]
        certain = [i for i in changes if i < synced[str(pathlib.Path(self.ops[i].path).parent)]]
        return self.apply_names(dict(self.names), certain), [i for i in changes if i not in certain]

    def state_names(self, cut, random):
        """Returns the names of a state."""
        names, pending = self.pending_names(cut)
        return self.apply_names(names, pending[:random.choice((0, len(pending), random.randint(0, len(pending))))])

    def state_image(self, inode, cut, style, random):
        """Returns what the disk may hold of a file."""
        synced = self.synced_image(inode, cut)
        image = self.image(inode, synced)
        pending = [op for op in self.ops[synced:cut] if op.inode == inode and op.kind in "wt"]
        one, share = random.randrange(max(1, len(pending))), random.choice((0.1, 0.5, 0.9))
        pages = [i for i, op in enumerate(pending) if op.offset >= SLOTS] or [None]
        page = pages[one % len(pages)]
        for i, op in enumerate(pending):
            some = random.random() < share
            last = random.randint(op.offset // SECTOR, (op.offset + len(op.data)) // SECTOR)
            chosen, sectors = {
                "all": (True, None),
                "none": (False, None),
                "torn": (i <= one, (lambda sector, last=last: sector < last) if i == one else None),
                "writes": (some, None),
                "sectors": (True, lambda sector: random.random() < share),
                "without one": (i != one, None),
                "only one": (i == one, None),
                "few sectors": (True, lambda sector: i != one or random.random() < share),
                "superblocks": (op.kind == "w" and op.offset < SLOTS, None),
                "but one sector": (True, (lambda sector, last=last: sector != last) if i == page else None),
            }[style]
            if chosen:
                op.apply(image, sectors)
        return image

    def write_state(self, cut, style, random, folder):
        """Writes the files of a state into a folder. Returns {path there: inode}."""
        files = {}
        for path, inode in self.state_names(cut, random).items():
            place = pathlib.Path(folder) / pathlib.Path(path).relative_to(self.folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(self.state_image(inode, cut, style, random))
            files[str(place)] = inode
        return files
