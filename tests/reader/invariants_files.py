"""Rows of INVARIANTS in test_invariants.py: sections of the catalog (section 3), both superblocks of a closed file (2), anchors
and their files (3, 9)."""
import struct
import zlib

import xtf_unpack
from invariants_changes import change_sections, longer, swap
from xtf_patch import CLOCK_KIND, CLOCK_MAPS, CLOCK_MAPS_KIND, FILE, FILES, LEAF_LISTS_KIND, LIMITS, REFERENCE, SCHEMAS, SEGMENT_MAPS, SEGMENTS, STRINGS, SUPERBLOCK, VOLUMES_FEATURE, File, plus, set_fields
from xtf_format import ANCHORED_FEATURE, ENTRY
from xtf_reader import Trace


def extra_section(*bodies, kind=99):
    return change_sections(lambda parts: parts.extend([kind, 0, body] for body in bodies))


def unmarked(kind):
    """Clears the flag that marks a section as required."""
    return lambda f: set_fields(f.sections[kind], flags=0)


# ---- The other superblock of a closed file.

def other_slot(f):
    return next(slot for slot in f.slots if slot is not f.superblock)


def other_catalog(f):
    """Returns the file as seen from the other superblock."""
    view = File(f.data)
    view.data, view.superblock = f.data, view.at(other_slot(f).start, SUPERBLOCK)
    view.find_sections()
    return view


def one_catalog(f):
    block = f.superblock
    set_fields(other_slot(f), catalog_at=block.catalog_at, catalog_length=block.catalog_length, catalog_crc=block.catalog_crc, opening=block.opening, opening_bytes=block.opening_bytes)


def in_both(kind, reference=0):
    """Makes one catalog refer to an item of the other catalog."""
    def patch(f):
        own, second = f.references(kind)[reference], other_catalog(f).references(kind)[reference]
        set_fields(own, at=second.at, length=second.length, crc=second.crc)
    return patch


# ---- Segments.

def another_segment(f):
    parts = f.parts()
    part = next(part for part in parts if part[0] == SEGMENTS)
    part[2] += struct.pack("<QQQII", f.segment.id + 1, f.superblock.pages, 0, 1, 0)
    f.store_catalog(parts)


def swap_segments(f):
    """Swaps the first two segments in their section."""
    at = f.sections[SEGMENTS].end
    f.data[at:at + 64] = f.data[at + 32:at + 64] + f.data[at:at + 32]


# ---- Anchors.

def files(f):
    """Yields the entry of each file."""
    at, end = f.sections[FILES].end, f.sections[FILES].end + f.sections[FILES].length
    while at < end:
        entry = f.at(at, FILE)
        yield entry
        at = entry.end + (entry.length + 7 & ~7)


def in_part(reference_of):
    """Copies an item into the first file: into a page that is reserved and was never written, so that the file stays valid."""
    def patch(f):
        reference, entry = reference_of(f), next(files(f))
        path = f.folder / bytes(f.data[entry.end:entry.end + entry.length]).decode()
        data, item = bytearray(path.read_bytes()), f.item(reference)
        at = next(at for at in range(8192, len(data), 4096) if not any(data[at:at + 4096]))
        data[at:at + len(item)] = item
        path.write_bytes(data)
        set_fields(reference, at=entry.first * 4096 + at, crc=zlib.crc32(item))
    return patch


def somewhere_in_part(reference_of):
    """Makes a reference lead into the first file. The content does not matter, as no reader reads it."""
    return lambda f: set_fields(reference_of(f), at=next(files(f)).first * 4096 + 8192)


def table_of(f):
    return next(chunks[0] for _, chunks in f.tables())


def map_of(f):
    return next(table for _, tables in f.segment_maps() for table in tables)


def catalog_in_part(f):
    set_fields(f.superblock, catalog_at=lambda at: next(files(f)).first * 4096 + 8192)


def across_files(f):
    """Makes a chunk of strings begin in the first file and end in the second."""
    set_fields(f.references(STRINGS)[-1], at=list(files(f))[1].first * 4096 - 8, length=16)


def twice(f):
    first, second = files(f)
    set_fields(first, **{name: getattr(second, name) for name in ("size", "file_id", "commit", "wall_time", "epoch", "length")})
    f.data[first.end:first.end + first.length] = f.data[second.end:second.end + second.length]


def swap_volumes(f):
    """Gives the first two volumes each other's commit."""
    first, second, *_ = files(f)
    first.commit, second.commit = second.commit, first.commit


def names_anchor(f):
    """Makes the first file an anchor."""
    data = (f.folder / "another_anchor_1.xtf").read_bytes()
    block = File(data).superblock
    entry = next(files(f))
    set_fields(entry, size=len(data), file_id=block.file_id, commit=block.commit, wall_time=block.wall_time, epoch=block.epoch)
    f.data[entry.end:entry.end + entry.length] = b"another_anchor_1.xtf"


def names_part(f):
    """Makes the first file, an anchor, one of its parts."""
    entry, name = next(files(f)), b"copy.xtf"
    (f.folder / name.decode()).write_bytes((f.folder / "one_of_two_parts.xtf").read_bytes())
    assert entry.length == len(name)
    f.data[entry.end:entry.end + entry.length] = name


def no_files(f):
    change_sections(lambda parts: next(part for part in parts if part[0] == FILES).__setitem__(2, b""))(f)


def behind_name(f):
    entry = next(files(f))
    assert entry.length % 8
    f.data[entry.end + entry.length] = 1


def packed_entries(entries):
    """Packs entries of an index in the simplest way: each number has 8 bytes."""
    def stream(data):
        length, head = 4 * len(data), b""
        while length >= 128:
            length, head = length >> 7, head + bytes([length & 127 | 128])  # both from the length before
        return head + bytes([length]) + data

    times, firsts, places = zip(*entries)
    steps = [time - before for time, before in zip(times, (0, *times))]
    planes = [bytes(value >> 8 * byte & 255 for value in column) for column in (firsts, places) for byte in range(8)]
    return b"".join(map(stream, [b"\xff" * len(steps), struct.pack(f"<{len(steps)}Q", *steps), b"\x05\x05\x00", *planes]))


def leaf_list(change):
    """Changes the entries of the first leaf list, and drops the others."""
    def patch(f):
        trace = Trace(f.folder / "high.xtf")
        (segment, array), (count, packed) = next(iter(trace.leaf_lists.items()))
        trace.close()
        entries = list(ENTRY.iter_unpack(xtf_unpack.unpack(packed, [8, 8, 8], [False] * 3, count)))
        change(entries)
        data = packed_entries(entries)
        item = struct.pack("<II4I", 1, 0, segment, array, len(entries), len(data)) + data
        f.move(f.body(LEAF_LISTS_KIND, REFERENCE), item + bytes(-len(item) % 8))
    return patch


def change_entry(number, field):
    """Adds 1 to a field of an entry."""
    def change(entries):
        entries[number] = tuple(value + (i == field) for i, value in enumerate(entries[number]))
    return leaf_list(change)


FILE_ROWS = [
    # FORMAT W13
    ("2", "closed-one-catalog", "Both superblocks of a closed file name catalogs of their own", "closed", one_catalog, "both name the same catalog", "both superblocks refer to the same catalog"),
    ("2", "closed-catalogs", "Both catalogs of a closed file say the same", "closed", lambda f: set_fields(f.clock, complete=plus(-1)), "their catalogs differ", "the two catalogs differ"),
    ("2", "closed-schemas", "Both catalogs have schemas of their own", "closed", in_both(SCHEMAS), "their catalogs share schemas or limits", "the two catalogs share"),
    ("2", "closed-limits", "Both catalogs have limits of their own", "closed", in_both(LIMITS), "their catalogs share schemas or limits", "the two catalogs share"),
    # FORMAT W12
    ("2", "closed-superblocks", "Both superblocks of a closed file say the same", "closed", lambda f: set_fields(other_slot(f), kept_seconds=plus(1)), "they are of one commit but differ", "the two superblocks differ"),
    ("11", "bound-pages", "A file has at most 2^40 - 1 pages", "small", lambda f: set_fields(f.superblock, pages=1 << 40), "1099511627776 pages are more than a file can have", "1099511627776 pages"),
    ("2", "closed-versions", "Both superblocks of a closed file state the same version", "closed", lambda f: set_fields(other_slot(f), minor=plus(1)), "they are of one commit but differ", "the two superblocks differ"),
    ("3", "section-unknown-length", "The length of any section is a multiple of 8", "small", extra_section(bytes(4)), "a section is not a multiple of 8", "is no multiple of 8"),
    ("3", "section-unknown-twice", "Each kind of section occurs once, known or not", "small", extra_section(b"", b""), "catalog: a section occurs twice", "catalog: two sections of kind"),
    # FORMAT W24
    ("3", "section-not-required", "All sections but FREE are required", "small", unmarked(CLOCK_KIND), "a required section is not marked as required", "does not say that it is required"),
    ("3", "clock-maps-required", "All sections but FREE are required", "small", unmarked(CLOCK_MAPS_KIND), "a required section is not marked as required", "does not say that it is required"),
    ("3", "segment-maps-required", "All sections but FREE are required", "merged", unmarked(SEGMENT_MAPS), "a required section is not marked as required", "does not say that it is required"),
    ("3", "files-required", "All sections but FREE are required", "anchor", unmarked(FILES), "a required section is not marked as required", "does not say that it is required"),
    ("3", "clock-maps-length", "CLOCK_MAPS has 24 bytes", "small", longer(CLOCK_MAPS_KIND, bytes(8)), "catalog: bytes are left over in a section", "catalog: bytes left over in a section"),
    ("3", "arrays-length", "ARRAYS has 32 bytes", "small", longer(4, bytes(8)), "catalog: bytes are left over in a section", "catalog: bytes left over in a section"),
    # FORMAT W25
    ("3", "segment-maps-order", "SEGMENT_MAPS follows SEGMENTS", "merged", swap(SEGMENTS, SEGMENT_MAPS), "catalog: there are more segment maps than segments", "SEGMENT_MAPS precedes SEGMENTS"),
    ("3", "segments-alone", "A file without segment maps has one segment", "small", another_segment, "but no segment maps", "segments: there are several"),
    ("3", "segments-own", "A merged file does not list a segment of its own", "merged", lambda f: set_fields(f.superblock, file_id=lambda v: struct.pack("<Q", f.segment.id) + v[8:]),
     "it is the file's own", "segments: the file's own one"),
    ("3", "segments-companion", "A companion file lists its own segment first", "companion", swap_segments, "it is the file's own", "segments: the file's own one"),
    ("3", "files-none", "FILES names a file at least", "anchor", no_files, "catalog: the section of files names no file", "files: the section is empty"),
    ("3", "files-padding", "Zeros follow the name of a file", "anchor", behind_name, "bytes follow the name of a file", "files: bytes after a name"),
    ("3", "files-name-length", "The name of a file has 1 to 255 bytes", "anchor", lambda f: set_fields(next(files(f)), length=0), "the name of a file is invalid", "files: invalid name"),
    ("3", "files-follow", "The pages of a file follow those of the file before", "pair", lambda f: set_fields(list(files(f))[1], first=plus(1)), "do not follow those of the file before it", "do not follow one another"),
    ("11", "bound-file-pages", "A file in FILES has at most 2^39 - 1 pages", "anchor", lambda f: set_fields(next(files(f)), pages=1 << 39), "lie beyond the largest possible file", "files: pages"),
    # FORMAT C8
    ("3", "files-claims", "Files in FILES claim few pages more than they fill", "anchor", lambda f: set_fields(next(files(f)), pages=1 << 25), "the files that the catalog names claim", "files: they claim"),
    ("3", "files-twice", "No file is named twice", "pair", twice, "is named twice", "files: one is named twice"),
    ("3", "files-removed", "Only an earlier volume may have 0 bytes", "anchor", lambda f: set_fields(next(files(f)), size=0), "was removed on purpose", "was removed on purpose"),
    ("3", "files-volumes-first", "The pages of the first volume begin at page 0", "volumes", lambda f: set_fields(next(files(f)), first=1), "do not follow those of the file before it", "do not follow one another"),
    ("3", "files-volumes-end", "The pages of the last earlier volume end at *own first*", "volumes", lambda f: set_fields(list(files(f))[-1], pages=plus(1)), "are not those before this one", "do not have the pages before this one"),
    ("3", "files-volumes-order", "Commits ascend over the volumes", "volumes", swap_volumes, "is named twice", "volumes are out of order"),
    # FORMAT C11
    ("9", "volume-own-first", "*Own first* is at most *pages allotted*", "volumes", lambda f: set_fields(f.superblock, pages=f.superblock.own_first - 1), "beyond all pages", "superblock: its first page is"),
    # FORMAT R78, R80
    ("9", "volume-bit", "A file with *own first* and FILES has bit 2", "volumes", lambda f: set_fields(f.superblock, incompatible=lambda v: v & ~VOLUMES_FEATURE), "is beyond the end of the file", "past the end of the file"),
    # FORMAT C9
    ("9", "volume-there", "The earlier volumes exist", "volumes", lambda f: f.data.__setitem__(next(files(f)).end + next(files(f)).length - 1, ord("9")), "No such file", "No such file"),
    ("9", "anchor-catalog", "The catalog lies in the anchor", "anchor", catalog_in_part, "is beyond the end of the file", "past the end of the file"),
    ("9", "anchor-schemas", "Schemas lie in the anchor", "anchor", somewhere_in_part(lambda f: f.references(SCHEMAS)[0]), "is beyond the end of the file", "past the end of the file"),
    ("9", "anchor-limits", "Limits lie in the anchor", "anchor", somewhere_in_part(lambda f: f.references(LIMITS)[0]), "is beyond the end of the file", "past the end of the file"),
    ("9", "anchor-clock-maps", "Clock maps lie in the anchor", "anchor", somewhere_in_part(lambda f: f.body(CLOCK_MAPS_KIND, CLOCK_MAPS)), "is beyond the end of the file", "past the end of the file"),
    ("9", "anchor-p-index", "The P index lies in the anchor", "anchor", in_part(lambda f: f.root()), "not in the anchor", "past the end of the file"),
    ("9", "anchor-tables", "Tables lie in the anchor", "anchor", in_part(table_of), "not in the anchor", "past the end of the file"),
    ("9", "anchor-segment-maps", "Segment maps lie in the anchor", "pair", in_part(map_of), "not in the anchor", "past the end of the file"),
    ("9", "anchor-two-files", "No item lies in two files", "pair", across_files, "an item lies in two files", "past the end of"),
    ("9", "anchor-of-anchor", "An anchor is no part of another", "pair", names_anchor, "it is an anchor, which cannot be a part", "is an anchor"),
    # FORMAT R91
    ("9", "anchored-bit", "The companion file of an anchor has bit 4", "anchored", lambda f: set_fields(f.superblock, incompatible=lambda v: v & ~ANCHORED_FEATURE), "it is an anchor, which cannot be a part", "is an anchor"),
    ("9", "anchored-one", "A companion file with bit 4 names an anchor and its parts", "companion", lambda f: set_fields(f.superblock, incompatible=lambda v: v | ANCHORED_FEATURE), "marked as the companion of an anchor", "it is no companion file of an anchor"),
    ("9", "anchored-first", "The first file of the companion file of an anchor is an anchor", "anchored", names_part, "it is no anchor of parts", "is no anchor of parts"),
    # FORMAT C14
    ("9", "anchored-files", "The companion file of an anchor names the files of the anchor", "anchored", lambda f: set_fields(list(files(f))[-1], pages=plus(1)), "the files are others than those", "names other files"),
    # FORMAT C12
    ("3", "leaf-lists-none", "There is a leaf list at least", "high", lambda f: set_fields(f.leaf_lists()[0], lists=0), "leaf lists: there are none", "leaf lists: there are none"),
    ("3", "leaf-lists-item", "LEAF_LISTS has 16 bytes", "high", longer(LEAF_LISTS_KIND, bytes(8)), "catalog: bytes are left over in a section", "catalog: bytes left over in a section"),
    ("3", "leaf-lists-reference", "The item of leaf lists has bytes", "high", lambda f: set_fields(f.body(LEAF_LISTS_KIND, REFERENCE), length=0), "the reference to the leaf lists is invalid", "leaf lists: there is no item"),
    ("3", "leaf-lists-order", "Leaf lists ascend by segment and array", "high", lambda f: set_fields(f.leaf_lists()[1][0], segment=9), "leaf lists: ", "leaf list"),
    ("3", "leaf-lists-array", "A leaf list is of an array", "high", lambda f: set_fields(f.leaf_lists()[1][-1], segment=9), "have one", "there is no such array"),
    ("3", "leaf-lists-bytes", "Leaf lists fill their item", "high", lambda f: set_fields(f.leaf_lists()[1][-1], bytes=plus(8)), "leaf lists: they are out of order, or do not fill", "leaf lists: ends too early"),
    ("3", "leaf-list-entries", "A leaf list has two entries at least", "high", lambda f: set_fields(f.leaf_lists()[1][0], entries=1), "leaf lists: they are out of order", "leaf lists: one of 1 entries"),
    ("3", "leaf-list-fewer", "A leaf list has all entries of level 1", "high", leaf_list(lambda entries: entries.pop()), "it has another number of leaves", "entries, the index has"),
    ("3", "leaf-list-time", "A leaf list has the times of the index", "high", change_entry(-1, 0), "it differs from the index pages", "it differs from the index"),
    ("3", "leaf-list-before", "A leaf list has the rows of the index", "high", change_entry(1, 1), "it differs from the index pages", "it differs from the index"),
    ("3", "leaf-list-place", "A leaf list has the places of the index", "high", change_entry(0, 2), "it differs from the index pages", "it differs from the index"),
    ("3", "leaf-list-packed", "A leaf list is packed rows", "high", lambda f: f.data.__setitem__(f.leaf_lists()[1][-1].end + 1, 3), "its leaf list", "leaf list of array"),
]
