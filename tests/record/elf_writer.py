"""Makes small ELF files for tests of the dynamic linker's rules, by the tables of elf(5)."""

import pathlib
import struct

BASE = 0x400000
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NULL, DT_NEEDED, DT_STRTAB, DT_STRSZ, DT_RPATH, DT_RUNPATH = 0, 1, 5, 10, 15, 29
SHT_SYMTAB, SHT_STRTAB = 2, 3
OWN = pathlib.Path("/proc/self/exe").read_bytes()[:20]


def table_of(names):
    """Returns a string table, and the offset of each name."""
    text, places = b"\0", {}
    for name in names:
        places[name] = len(text)
        text += name.encode() + b"\0"
    return text, places


def elf(needed=(), runpath=None, rpath=None, interpreter=True, symbols=(), machine=None):
    """Returns the bytes of a file that needs these libraries and defines these functions."""
    names = [*needed, *(path for path in (runpath, rpath) if path)]
    text, places = table_of(names)
    symbol_text, symbol_places = table_of(symbols)
    n_segments = 2 + interpreter
    head_size = 64 + 56 * n_segments
    interp = b"/lib64/ld-linux-x86-64.so.2\0" if interpreter else b""
    interp_at, text_at = head_size, head_size + len(interp)
    dynamic_at = (text_at + len(text) + 15) & ~15
    entries = [(DT_NEEDED, places[name]) for name in needed]
    entries += [(tag, places[path]) for tag, path in ((DT_RUNPATH, runpath), (DT_RPATH, rpath)) if path]
    entries += [(DT_STRTAB, BASE + text_at), (DT_STRSZ, len(text)), (DT_NULL, 0)]
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    symbols_at = dynamic_at + len(dynamic)
    rows = bytes(24) + b"".join(struct.pack("<IBBHQQ", symbol_places[name], 0x12, 0, 1, 0, 0) for name in symbols)
    symbol_text_at = symbols_at + len(rows)
    sections_at = (symbol_text_at + len(symbol_text) + 7) & ~7
    n_sections = 3 if symbols else 0
    size = sections_at + 64 * n_sections
    head = OWN[:16] + struct.pack("<HHIQQQIHHHHHH", 2, machine or struct.unpack("<H", OWN[18:20])[0], 1, 0, 64, sections_at if symbols else 0, 0,
                                  64, 56, n_segments, 64, n_sections, 0)
    segments = [(PT_INTERP, interp_at, len(interp))] * interpreter + [(PT_LOAD, 0, size), (PT_DYNAMIC, dynamic_at, len(dynamic))]
    head += b"".join(struct.pack("<IIQQQQQQ", kind, 4, at, BASE + at, BASE + at, length, length, 8) for kind, at, length in segments)
    body = (head + interp + text).ljust(dynamic_at, b"\0") + dynamic + rows + symbol_text
    sections = bytes(64) + struct.pack("<IIQQQQIIQQ", 0, SHT_SYMTAB, 0, 0, symbols_at, len(rows), 2, 0, 8, 24)
    sections += struct.pack("<IIQQQQIIQQ", 0, SHT_STRTAB, 0, 0, symbol_text_at, len(symbol_text), 0, 0, 1, 0)
    return body.ljust(sections_at, b"\0") + (sections if symbols else b"")
