"""The structures, kinds and bounds of docs/FORMAT.md, for the second reader of XTF files (xtf_reader.py)."""
import struct

MAGIC = b"\x89XTF\r\n\x1a\n"
CATALOG_MAGIC, PAGE_MAGIC, NODE_MAGIC = b"XTFc", b"XTFp", b"XTFn"
SUPERBLOCK = struct.Struct("<8sHHI16sQQQQQQIBBBx16sQIII128xI")
REFERENCE = struct.Struct("<QII")
CLOCK = struct.Struct("<6Q")
SEGMENT = struct.Struct("<QQQII")
TABLE = struct.Struct("<IIQ")
FREE = struct.Struct("<QQQ")
FILE = struct.Struct("<QQQ16sQQII")
LIMIT = struct.Struct("<QQQ")
PAGE = struct.Struct("<4sBBBxIIQQIIQQII")
ENTRY = struct.Struct("<QQQ")
NODE = struct.Struct("<4sB3xII")
ARRAY = struct.Struct("<QIIQQQ16sIIBB14x")
BRANCH = struct.Struct("<QIIQQ16s")
EDGE = struct.Struct("<II")
KNOT = struct.Struct("<QQI4x")
OPEN_PAGE = struct.Struct("<QQQII")
ALIGNMENT = 8
CLOCK_KIND, SEGMENTS, SCHEMAS, ARRAYS, TABLES, STRINGS, LIMITS, CLOCK_MAPS, COUNTS, FREE_KIND, SEGMENT_MAPS, FILES, WRITER = range(1, 14)
REQUIRED = {CLOCK_KIND, SEGMENTS, SCHEMAS, ARRAYS, TABLES, STRINGS, LIMITS, COUNTS}
OPTIONAL = {FREE_KIND, WRITER}
KNOWN = REQUIRED | OPTIONAL | {CLOCK_MAPS, SEGMENT_MAPS, FILES}
WRITER_TEXT_MAX = 255
NO_STRING = (1 << 32) - 1
LEAF, INDEX = 1, 2
PLAIN, COMPACT = 0, 1
LEAF_ROWS_PER_BYTE, LEAF_BYTES_MAX = 4, 16 << 20
COMPACT_FEATURE, FILES_FEATURE = 1, 2
PAGES_BETWEEN_MAX = 1024
PAGES_MAX = (1 << 40) - 1
CLOSED = 1
CRC32 = 1
HEIGHT_MAX = 12
ITEM_MAX, TABLE_MAX = 64 << 20, 256 << 20
