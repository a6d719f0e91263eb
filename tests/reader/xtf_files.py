"""Superblocks, and the files beside an anchor, a companion file or a later volume, for the second reader (xtf_reader.py)."""
import os
import zlib
from typing import NamedTuple

from xtf_format import ANCHORED_FEATURE, FILES_FEATURE, MAGIC, SUPERBLOCK, VOLUMES_FEATURE
from xtf_schema import Damaged, expect


class Superblock(NamedTuple):
    magic: bytes
    major: int
    minor: int
    page_size: int
    file_id: bytes
    incompatible: int
    read_only: int
    compatible: int
    commit: int
    pages: int
    wall_time: int
    epoch: int
    slot: int
    flags: int
    checksum_kind: int
    catalog: bytes
    opening: int
    opening_bytes: int
    kept_commits: int
    kept_seconds: int
    own_first: int
    crc: int


class Part:
    """A file beside an anchor, which the catalog of the anchor names. It is opened at its first read. `is_anchor`: the first file of
    the companion file of an anchor."""

    def __init__(self, trace, entry, name, is_anchor):
        self.first, self.pages, self.length, self.file_id, self.commit, self.wall_time, self.epoch, _ = entry
        self.path, self.fd = os.path.join(os.path.dirname(os.path.realpath(trace.path)), os.fsdecode(name)), None
        self.is_anchor = is_anchor
        expect(self.pages and self.length <= self.pages * trace.page_size, f"files: the pages of {self.path} do not hold it")

    def entry(self):
        """Returns what the entry says of the file, without its first page and name."""
        return self.pages, self.length, self.file_id, self.commit, self.wall_time, self.epoch

    def compare(self, fd, label):
        """Checks that a file is the one that the catalog names."""
        newest = intact_superblocks(fd, f"{label}: {self.path}:")[0]
        later_volume = newest.incompatible & VOLUMES_FEATURE and newest.own_first
        names_parts = bool(newest.incompatible & FILES_FEATURE and not later_volume)
        expect(self.is_anchor or not names_parts, f"{label}: {self.path} is an anchor")
        expect(not self.is_anchor or names_parts and not newest.incompatible & ANCHORED_FEATURE, f"{label}: {self.path} is no anchor of parts")
        expect((newest.file_id, newest.commit, newest.wall_time, newest.epoch) == (self.file_id, self.commit, self.wall_time, self.epoch)
               and os.fstat(fd).st_size == self.length, f"{label}: {self.path} is not the file that the catalog names, or has another commit")

    def open(self, label):
        """Opens the file, unless it is open, and compares it with its entry."""
        if self.fd is None:
            try:
                fd = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)
            except OSError as error:
                raise Damaged(f"{label}: {self.path}: {error.strerror}") from error
            try:
                self.compare(fd, label)
            except OSError as error:
                os.close(fd)
                raise Damaged(f"{label}: {self.path}: {error.strerror}") from error
            except Damaged:
                os.close(fd)
                raise
            self.fd = fd

    def read(self, offset, length, label):
        expect(self.length, f"{label}: {self.path} was removed on purpose")
        self.open(label)
        expect(offset + length <= self.length, f"{label}: past the end of {self.path}")
        return read_whole(self.fd, offset, length, label)

    def close(self):
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None


def read_whole(fd, offset, length, label):
    data = b""
    while len(data) < length:
        part = os.pread(fd, length - len(data), offset + len(data))
        expect(part, f"{label}: the file ends too early")
        data += part
    return data


def intact_superblocks(fd, label=""):
    """Returns the intact superblocks, the one of the later commit first."""
    slots = [(offset, os.pread(fd, SUPERBLOCK.size, offset)) for offset in (0, 4096)]
    slots = [Superblock(*SUPERBLOCK.unpack(slot)) for offset, slot in slots if len(slot) == SUPERBLOCK.size and slot[:8] == MAGIC
             and zlib.crc32(slot[:-4]) == int.from_bytes(slot[-4:], "little") and (slot[8:10] != b"\2\0" or slot[84] == offset // 4096)]
    expect(slots, f"{label} not an XTF file: it has no intact superblock".lstrip())
    return sorted(slots, key=lambda slot: slot.commit, reverse=True)
