/*
 * The bytes of an XTF file. docs/FORMAT.md explains them; this header defines their layout. It includes only the
 * header of the integers that the layout consists of.
 *
 * A file is a sequence of pages of one size. Pages are named by their place: their number from the beginning of their
 * segment. A file that one writer made is one segment, beginning at 0. The data of commits is stored between the pages
 * as items of any length, named by byte offset, length and CRC-32.
 *
 *     +------------+-------+-------+-------+-----------------+-------+-----------------+
 *     | superblock | leaf  | leaf  | index | commit block    | leaf  | commit block    | ...
 *     |   A   B    |       |       |       | edges P catalog |       | edges P catalog |
 *     +------------+-------+-------+-------+-----------------+-------+-----------------+
 */
#pragma once

#include "libxtf/base/le.h"

enum {
    XTF_VERSION_MAJOR = 2, /* readers refuse other versions */
    XTF_VERSION_MINOR = 1, /* readers ignore a greater one; writers that append to a file refuse it */

    XTF_SUPERBLOCK_SLOTS = 2,
    XTF_SEGMENTS_MAX = 1 << 20,
    XTF_COMPANION_BYTES_MAX = 256 << 20, /* most bytes of a companion's payload */
    XTF_OPENING_BYTES = 1 << 20,         /* most bytes of the opening that a writer gathers */
    XTF_OPENING_SHORT_BYTES = 1 << 17,   /* most bytes of an opening that begins with right edges */
    XTF_SUPERBLOCK_STRIDE = 4096,        /* slot 0 at byte 0, slot 1 at byte 4096, for any page size */
    XTF_RESERVED_BYTES = 8192,           /* pages begin at or after this byte */

    XTF_HEIGHT_MAX = 12, /* 168^11 leaves: more than any file has */

    XTF_ITEM_ALIGNMENT = 8,    /* items and their parts begin at multiples of it */
    XTF_ITEM_MAX = 64 << 20,   /* maximum bytes of an item: bounds the memory that a reader allocates */
    XTF_TABLE_MAX = 256 << 20, /* maximum bytes of a table's rows */
    XTF_FILE_NAME_MAX = 255,   /* maximum bytes of the name of a file in a catalog */
    XTF_FILES_GAP_MAX = 1024,  /* maximum pages between the last page of an anchor and the first page of its files */

    XTF_SMALL_ARRAY_ROWS = 128, /* maximum rows of an array of one leaf without totals */
};

#define XTF_FORMAT_VERSION "2.1" /* as text */

#define XTF_FILE_MAGIC    "\x89XTF\r\n\x1a\n"
#define XTF_PAGE_MAGIC    0x70465458u /* "XTFp" */
#define XTF_NODE_MAGIC    0x6e465458u /* "XTFn" */
#define XTF_CATALOG_MAGIC 0x63465458u /* "XTFc" */

/* Incompatible features: readers that do not know one refuse the file. */
#define XTF_FEATURE_COMPACT  (UINT64_C(1) << 0) /* some arrays have compact leaves */
#define XTF_FEATURE_FILES    (UINT64_C(1) << 1) /* segments are in other files, listed in XTF_SECTION_FILES */
#define XTF_FEATURE_VOLUMES  (UINT64_C(1) << 2) /* arrays go on over several files; links of pages may lead nowhere */
#define XTF_FEATURE_JOINED   (UINT64_C(1) << 3) /* some arrays have leaves of other arrays: see XtfDiskPieces */
#define XTF_FEATURE_ANCHORED (UINT64_C(1) << 4) /* the file is the companion of an anchor, which is its first file */
#define XTF_FEATURE_BATCHES  (UINT64_C(1) << 5) /* totals of some pages are in batches: see XtfDiskBatches */

#define XTF_SUPERBLOCK_CLOSED 1u /* flag: the writer closed the file with this commit */

/* Kinds of checksums. */
enum {
    XTF_CHECKSUM_CRC32 = 1,
};

/* The structures are formatted by hand, as tables. */
/* clang-format off */

/* An item: a range of bytes of the file. */
typedef struct {      /* OFFSET SIZE */
    XtfLe64 offset;   /*  0  8  bytes, a multiple of XTF_ITEM_ALIGNMENT */
    XtfLe32 length;   /*  8  4  bytes; 0: no item */
    XtfLe32 checksum; /* 12  4  CRC-32 of the bytes */
} XtfDiskRef;

/* Two superblocks alternate; the one with the greater commit number is current. Zeros up to the end of the slot. */
typedef struct {           /* OFFSET SIZE */
    char magic[8];         /*   0  8  XTF_FILE_MAGIC */
    XtfLe16 version_major; /*   8  2 */
    XtfLe16 version_minor; /*  10  2 */
    XtfLe32 page_size;     /*  12  4  bytes, a power of two from 4 KiB to 1 MiB */
    uint8_t file_id[16];   /*  16 16  random; its first 8 bytes are the id of the file's segment */
    XtfLe64 incompatible;  /*  32  8  feature bits: readers that do not know one refuse the file */
    XtfLe64 read_only;     /*  40  8  feature bits: without knowing all, a program may read the file but not append */
    XtfLe64 compatible;    /*  48  8  feature bits: like read_only, but they do not affect what a reader shows */
    XtfLe64 commit;        /*  56  8  ordinal, from 1 */
    XtfLe64 pages;         /*  64  8  pages allotted so far, superblocks too; some may be past the end of the file */
    XtfLe64 wall_time;     /*  72  8  of the commit, nanoseconds since 1970 (UTC) */
    XtfLe32 epoch;         /*  80  4  ordinal of the writer, from 1 */
    uint8_t slot;          /*  84  1  0 or 1: the superblock's slot */
    uint8_t flags;         /*  85  1  XTF_SUPERBLOCK_CLOSED */
    uint8_t checksum_kind; /*  86  1  of all checksums of the file: XTF_CHECKSUM_CRC32 */
    uint8_t zero;          /*  87  1 */
    XtfDiskRef catalog;    /*  88 16 */
    XtfLe64 opening;       /* 104  8  first byte of the opening: the range with most of the items that opening needs */
    XtfLe32 opening_bytes; /* 112  4  bytes of this range */
    XtfLe32 kept_commits;  /* 116  4  data referenced by this number of latest commits... */
    XtfLe32 kept_seconds;  /* 120  4  ...or by commits of this number of latest seconds is never overwritten */
    uint8_t zeros[4];      /* 124  4 */
    XtfLe64 own_first;     /* 128  8  number of the file's first page, in later volumes (XTF_FEATURE_VOLUMES); else 0 */
    uint8_t more_zeros[116]; /* 136 116 */
    XtfLe32 checksum;      /* 252  4  CRC-32 of the preceding 252 bytes */
} XtfDiskSuperblock;

typedef enum {
    XTF_PAGE_LEAF = 1,
    XTF_PAGE_INDEX = 2,
    XTF_PAGE_TOTALS = 3, /* companion of an index page: see XtfDiskTotals */
} XtfPageKind;

/* The head of every page; the payload follows, then zeros. */
typedef struct {        /* OFFSET SIZE */
    XtfLe32 magic;      /*  0  4  XTF_PAGE_MAGIC */
    uint8_t kind;       /*  4  1  XtfPageKind */
    uint8_t codec;      /*  5  1  XtfCodecId (codec.h) of a leaf or of totals; else 0 */
    uint8_t level;      /*  6  1  0: leaf */
    uint8_t batch;      /*  7  1  of an index page and its companion: log2 of the children of a batch; 0: no batches */
    XtfLe32 array;      /*  8  4  id */
    XtfLe32 epoch;      /* 12  4  ordinal of the writer that wrote the page */
    XtfLe64 segment;    /* 16  8  id of the segment */
    XtfLe64 first_n;    /* 24  8  N of the first row below the page */
    XtfLe32 count;      /* 32  4  rows or entries, at least 1 */
    XtfLe32 length;     /* 36  4  bytes of the payload */
    XtfLe64 previous;   /* 40  8  place of the level's previous page; 0: this page is the first */
    XtfLe64 next;       /* 48  8  place of the level's next page, which may still be open */
    XtfLe32 companion;  /* 56  4  distance to the first page of its totals, in pages; 0: none */
    XtfLe32 checksum;   /* 60  4  CRC-32 of the place (8 bytes), bytes 0 to 59, and the payload */
} XtfDiskPage;

/* Entry of an index page: the paper's 24 bytes. */
typedef struct {       /* OFFSET SIZE */
    XtfLe64 first_t;   /*  0  8  time of the first row below the child */
    XtfLe64 before;    /*  8  8  rows of the array before the child: N of its first row */
    XtfLe64 child;     /* 16  8  place */
} XtfDiskEntry;

/*
 * The totals of an index page's children are tables. The tables of a sealed page are the payload of its companion: a
 * page of kind XTF_PAGE_TOTALS, `companion` pages after the index page. Its head equals the index page's except for the
 * kind and the payload. The payload may be longer than a page, and then continues on the following pages. The tables of
 * an open page are in the right edge.
 *
 * A table is an XtfDiskTotals, `length` bytes of rows, and zeros up to a multiple of 8. A reader skips unknown kinds.
 * Writers leave out tables without rows. Rows are packed by the array's codec; they are
 *
 *     totals     child U64; depth U8; the aggregate's keys, U64 each; its cells, U64 each
 *     borders    child U64; gap U64; depth U64; least U64                  (for frames)
 *     snapshots  child U64; key U64; row U64; time U64; outermost U8       (for frames, on level 1)
 *     filters    child U64; bits U64                                       (for groups, on level 1)
 *
 * where `child` is the entry's slot in the index page, and the codec packs it as the time. Totals are sorted by child,
 * then key. Only the first `depth` keys count; the others are 0. All rows of a child have the same depth. A border
 * describes the gap between a child and the row before it. `gap` is the ticks from that row to the child's first row,
 * and `depth` the number of frames open there. `least` is the least number of frames that any row of the child leaves
 * open. Snapshots are the frames open before the child's first row, outermost first; only the XTF_SNAPSHOT_FRAMES
 * innermost are stored.
 */
typedef struct {      /* OFFSET SIZE */
    uint8_t kind;      /*  0  1  XtfTotalsKind */
    uint8_t aggregate; /*  1  1  number of the aggregate in the schema */
    uint8_t zero[2];   /*  2  2 */
    XtfLe32 n_rows;    /*  4  4  at least 1 */
    XtfLe32 length;    /*  8  4  bytes that follow, without the zeros */
    XtfLe32 reserved;  /* 12  4  0 */
} XtfDiskTotals;

typedef enum {
    XTF_TOTALS_OF_GROUPS = 1,
    XTF_TOTALS_BORDERS = 2,
    XTF_TOTALS_SNAPSHOTS = 3,
    XTF_TOTALS_FILTERS = 4,
    XTF_TOTALS_KINDS,
} XtfTotalsKind;

/*
 * A companion may have the totals of its page in batches of children, so that a reader of one child reads one of them.
 * Each batch has 2^batch children (XtfDiskPage), the last one the rest. The payload is this head, an XtfDiskBatch for
 * each section, and the sections. Section 0 has the totals of the batches, whose `child` is the number of the batch,
 * and the filters of all children. Section 1 + i has the other tables of batch i.
 */
typedef struct {     /* OFFSET SIZE */
    XtfLe32 checksum; /*  0  4  CRC-32 of the place (8 bytes), bytes 0 to 59 of the page, and the directory behind this */
    XtfLe32 reserved; /*  4  4  0 */
} XtfDiskBatches;

typedef struct {     /* OFFSET SIZE */
    XtfLe32 length;   /*  0  4  bytes of the section, a multiple of 8 */
    XtfLe32 checksum; /*  4  4  CRC-32 of the section */
} XtfDiskBatch;

enum {
    XTF_BATCH_BITS_LEAST = 4, /* a batch has at least 16 children */
    XTF_BATCH_BITS_MOST = 16,
};

/* An array's right edge begins with this, then the heads of its levels (XtfDiskOpen). edge.h describes the rest. */
typedef struct {          /* OFFSET SIZE */
    XtfLe32 leaf_checksum; /*  0  4  CRC-32 of the open leaf's rows, the item after this one */
    XtfLe32 reserved;      /*  4  4  0 */
} XtfDiskEdge;

/* The head of one level of a right edge: its open page. */
typedef struct {       /* OFFSET SIZE */
    XtfLe64 first_n;   /*  0  8  N of the first row below the open page */
    XtfLe64 place;     /*  8  8  place reserved for the page; 0: not reserved, because the level has no sealed page */
    XtfLe64 previous;  /* 16  8  place of the level's last sealed page; 0: none */
    XtfLe32 count;     /* 24  4  rows or entries, at least 1 */
    XtfLe32 length;    /* 28  4  bytes of the payload; a packed leaf's may exceed a page */
} XtfDiskOpen;

/* Head of a node of the P index; its entries follow, ordered by (location, schema). */
typedef struct {       /* OFFSET SIZE */
    XtfLe32 magic;     /*  0  4  XTF_NODE_MAGIC */
    uint8_t level;     /*  4  1  0: XtfDiskArray entries, else XtfDiskBranch entries */
    uint8_t zero[3];   /*  5  3 */
    XtfLe32 count;     /*  8  4  number of entries, at least 1 */
    XtfLe32 reserved;  /* 12  4  0 */
} XtfDiskNode;

/* P index, lowest level: an array. */
typedef struct {       /* OFFSET SIZE */
    XtfLe64 location;  /*  0  8 */
    XtfLe32 schema;    /*  8  4  id */
    XtfLe32 array;     /* 12  4  id, in its pages' heads */
    XtfLe64 n_rows;    /* 16  8  at least 1 */
    XtfLe64 first;     /* 24  8  time of the first row */
    XtfLe64 last;      /* 32  8  time of the last row */
    XtfDiskRef edge;   /* 40 16  offset relative to the beginning of the segment */
    XtfLe32 segment;   /* 56  4  index in the catalog's table of segments */
    XtfLe32 clock_map; /* 60  4  number of the location's clock map, from 1; 0: none */
    uint8_t height;    /* 64  1  levels, the leaves' included */
    uint8_t codec;     /* 65  1  XtfCodecId of the leaves */
    uint8_t flags;     /* 66  1  XTF_ARRAY_JOINED */
    uint8_t zero[13];  /* 67 13 */
} XtfDiskArray;

#define XTF_ARRAY_JOINED 1u /* the right edge ends with pieces: see XtfDiskPieces */

/*
 * The pieces of a joined array follow the totals in its right edge. They begin with this, and a head for each piece.
 * The bodies follow, at multiples of 8. A piece has consecutive rows. Its body is an XtfDiskPieceBody, and then
 *
 *     XTF_PIECE_ARRAY  XtfDiskArray, another array, all of whose rows are the piece; XtfDiskShift each
 *     XTF_PIECE_ROWS   rows side by side
 */
typedef struct {       /* OFFSET SIZE */
    XtfLe32 n_pieces;  /*  0  4  at least 1 */
    XtfLe32 reserved;  /*  4  4  0 */
} XtfDiskPieces;

typedef struct {       /* OFFSET SIZE */
    XtfLe64 first_n;   /*  0  8  N of its first row */
    XtfLe32 offset;    /*  8  4  of the body, from the beginning of the pieces */
    XtfLe32 length;    /* 12  4  of the body, bytes */
} XtfDiskPiece;

typedef struct {       /* OFFSET SIZE */
    XtfLe32 kind;      /*  0  4  XtfPieceKind */
    XtfLe32 n_shifts;  /*  4  4  at most one a field; 0 for rows */
} XtfDiskPieceBody;

typedef enum { XTF_PIECE_ARRAY = 1, XTF_PIECE_ROWS = 2 } XtfPieceKind;

/* A number to add to the values of a field. */
typedef struct {       /* OFFSET SIZE */
    XtfLe32 field;     /*  0  4  ascending */
    XtfLe32 reserved;  /*  4  4  0 */
    XtfLe64 by;        /*  8  8 */
} XtfDiskShift;

/* P index, higher levels: a node of the level below. */
typedef struct {         /* OFFSET SIZE */
    XtfLe64 location;    /*  0  8  the child's first key */
    XtfLe32 schema;      /*  8  4 */
    XtfLe32 reserved;    /* 12  4  0 */
    XtfLe64 arrays;      /* 16  8  number of arrays below the child */
    XtfLe64 n_rows;      /* 24  8  number of rows below the child, of all schemas */
    XtfDiskRef child;    /* 32 16 */
} XtfDiskBranch;

enum {
    XTF_NODE_BYTES = 4096, /* maximum bytes of a node */
    XTF_NODE_ARRAYS = (XTF_NODE_BYTES - sizeof(XtfDiskNode)) / sizeof(XtfDiskArray),
    XTF_NODE_BRANCHES = (XTF_NODE_BYTES - sizeof(XtfDiskNode)) / sizeof(XtfDiskBranch),
};

/* Head of the catalog; sections follow. A reader skips sections of unknown kinds unless they are required. */
typedef struct {         /* OFFSET SIZE */
    XtfLe32 magic;       /*  0  4  XTF_CATALOG_MAGIC */
    XtfLe32 n_sections;  /*  4  4 */
} XtfDiskCatalog;

typedef struct {         /* OFFSET SIZE */
    XtfLe32 kind;        /*  0  4  XtfSectionKind */
    XtfLe32 flags;       /*  4  4  XTF_SECTION_REQUIRED */
    XtfLe64 length;      /*  8  8  bytes that follow */
} XtfDiskSection;

#define XTF_SECTION_REQUIRED 1u

typedef enum {
    XTF_SECTION_CLOCK = 1,        /* XtfDiskClock */
    XTF_SECTION_SEGMENTS = 2,     /* XtfDiskSegment each */
    XTF_SECTION_SCHEMAS = 3,      /* XtfDiskRef each: chunks of schemas, see schema-codec.c */
    XTF_SECTION_ARRAYS = 4,       /* XtfDiskArrays: the root of the P index */
    XTF_SECTION_TABLES = 5,       /* XtfDiskTable each, followed by the chunks of its rows, XtfDiskRef each */
    XTF_SECTION_STRINGS = 6,      /* XtfDiskRef each: chunks of the heap of strings */
    XTF_SECTION_LIMITS = 7,       /* XtfDiskRef each: for each schema, an item with the XtfDiskLimits of each field */
    XTF_SECTION_CLOCK_MAPS = 8,   /* XtfDiskClockMaps; left out if there are none */
    XTF_SECTION_COUNTS = 9,       /* XtfLe64 each: number of rows of each schema */
    XTF_SECTION_FREE = 10,        /* XtfDiskFree each: pages that items no longer use */
    XTF_SECTION_SEGMENT_MAPS = 11, /* from a segment's numbers to the whole file's numbers */
    XTF_SECTION_FILES = 12,       /* XtfDiskFile each, followed by its name: files that contain segments */
    XTF_SECTION_WRITER = 13,      /* XtfDiskWriter, followed by both texts: the program that made the commit */
    XTF_SECTION_LEAF_LISTS = 14,  /* XtfDiskRef of an item: XtfDiskLeafLists */
} XtfSectionKind;

typedef struct {               /* OFFSET SIZE */
    XtfLe64 resolution_num;    /*  0  8  ticks... */
    XtfLe64 resolution_den;    /*  8  8  ...per this number of seconds */
    XtfLe64 origin;            /* 16  8  time 0, ticks */
    XtfLe64 first;             /* 24  8  of all records, ticks; greater than last if there are no records */
    XtfLe64 last;              /* 32  8 */
    XtfLe64 complete;          /* 40  8  no later commit adds rows before this time, ticks; all bits set in a closed file */
} XtfDiskClock;

typedef struct {           /* OFFSET SIZE */
    XtfLe64 id;            /*  0  8  random; the heads of its pages repeat it */
    XtfLe64 first_page;    /*  8  8  first page in the file */
    XtfLe64 pages;         /* 16  8  all places are smaller than this */
    XtfLe32 epoch;         /* 24  4  maximum epoch of its pages */
    XtfLe32 reserved;      /* 28  4  0 */
} XtfDiskSegment;

typedef struct {           /* OFFSET SIZE */
    XtfLe64 n_arrays;      /*  0  8 */
    XtfLe32 height;        /*  8  4  levels of nodes; 0 if there are no arrays */
    XtfLe32 reserved;      /* 12  4  0 */
    XtfDiskRef root;       /* 16 16 */
} XtfDiskArrays;

typedef struct {           /* OFFSET SIZE */
    XtfLe32 schema;        /*  0  4  id */
    XtfLe32 n_chunks;      /*  4  4  XtfDiskRef that follow: whole rows, chunk after chunk */
    XtfLe64 n_rows;        /*  8  8 */
} XtfDiskTable;

/* The segment maps: for each segment, in order, this and the maps of its tables. */
typedef struct {            /* OFFSET SIZE */
    XtfLe32 strings;        /*  0  4  offset of the segment's string heap in the file's; 0: strings do not change */
    XtfLe32 strings_length; /*  4  4  bytes of the segment's heap */
    XtfLe32 n_tables;       /*  8  4  XtfDiskTableMap that follow, by schema, ascending */
    XtfLe32 reserved;       /* 12  4  0 */
} XtfDiskSegmentMap;

typedef struct {            /* OFFSET SIZE */
    XtfLe32 schema;         /*  0  4  of the table */
    XtfLe32 reserved;       /*  4  4  0 */
    XtfDiskRef rows;        /*  8 16  an XtfLe32 for each row of the segment's table: the row of the file's table */
} XtfDiskTableMap;

/* A file whose pages replace some of this file's pages. Its name follows, and zeros up to a multiple of 8. */
typedef struct {           /* OFFSET SIZE */
    XtfLe64 first_page;    /*  0  8  page of this file that is page 0 of the other file */
    XtfLe64 pages;         /*  8  8  number of pages that it replaces */
    XtfLe64 size;          /* 16  8  size of the file, bytes */
    uint8_t file_id[16];   /* 24 16  of the file */
    XtfLe64 commit;        /* 40  8  number of the file's commit that is expected */
    XtfLe64 wall_time;     /* 48  8  of that commit */
    XtfLe32 epoch;         /* 56  4  ordinal of the file's writer */
    XtfLe32 name_length;   /* 60  4  bytes, from 1 to XTF_FILE_NAME_MAX */
} XtfDiskFile;

/* Name and version of the program that made the commit. Both texts follow, and zeros up to a multiple of 8. */
typedef struct {            /* OFFSET SIZE */
    XtfLe32 name_length;    /*  0  4  bytes, at most XTF_WRITER_TEXT_MAX */
    XtfLe32 version_length; /*  4  4  bytes, at most XTF_WRITER_TEXT_MAX */
} XtfDiskWriter;

enum { XTF_WRITER_TEXT_MAX = 255 };

/* The item of the leaf lists: this, a head for each list, and the packed entries of each, at multiples of 8. A list has
 * the entries of all pages of level 1 of an array, the open page last. */
typedef struct {            /* OFFSET SIZE */
    XtfLe32 n_lists;        /*  0  4  at least 1 */
    XtfLe32 reserved;       /*  4  4  0 */
} XtfDiskLeafLists;

typedef struct {            /* OFFSET SIZE */
    XtfLe32 segment;        /*  0  4  index in the catalog's table of segments */
    XtfLe32 array;          /*  4  4  id; heads ascend by segment, then id */
    XtfLe32 n_entries;      /*  8  4  at least 2 */
    XtfLe32 length;         /* 12  4  bytes of the packed entries */
} XtfDiskLeafList;

/* Pages that no item uses any more, and that a writer may reuse later. */
typedef struct {           /* OFFSET SIZE */
    XtfLe64 page;          /*  0  8  number of the first of these pages, in the file */
    XtfLe64 n_pages;       /*  8  8  0: an unused entry */
    XtfLe64 commit;        /* 16  8  last commit that references something in these pages; 0: reusable at once */
} XtfDiskFree;

typedef struct {           /* OFFSET SIZE */
    XtfLe64 min;           /*  0  8  greater than max if there are no values */
    XtfLe64 max;           /*  8  8 */
    XtfLe64 has_none;      /* 16  8  0 or 1 */
} XtfDiskLimits;

/* The section of clock maps (clock-map.h): a reference to their item. The item has, for each map, a head and its
 * knots. */
typedef struct {           /* OFFSET SIZE */
    XtfLe32 n_maps;        /*  0  4  at least 1 */
    XtfLe32 reserved;      /*  4  4  0 */
    XtfDiskRef maps;       /*  8 16 */
} XtfDiskClockMaps;

typedef struct {           /* OFFSET SIZE */
    XtfLe32 n_knots;       /*  0  4  at least 1 */
    XtfLe32 reserved;      /*  4  4  0 */
} XtfDiskClockMap;

typedef struct {           /* OFFSET SIZE */
    XtfLe64 local;         /*  0  8  ticks of the location's clock */
    XtfLe64 global;        /*  8  8  ticks of the trace */
    XtfLe32 flags;         /* 16  4  XTF_KNOT_JUMPS */
    XtfLe32 reserved;      /* 20  4  0 */
} XtfDiskClockKnot;

#define XTF_KNOT_JUMPS 1u /* the section up to the next knot is a jump forwards */

/* clang-format on */

_Static_assert(sizeof(XtfDiskRef) == 16, "XtfDiskRef");
_Static_assert(sizeof(XtfDiskSuperblock) == 256, "XtfDiskSuperblock");
_Static_assert(sizeof(XtfDiskPage) == 64, "XtfDiskPage");
_Static_assert(sizeof(XtfDiskEntry) == 24, "XtfDiskEntry");
_Static_assert(sizeof(XtfDiskTotals) == 16, "XtfDiskTotals");
_Static_assert(sizeof(XtfDiskEdge) == 8, "XtfDiskEdge");
_Static_assert(sizeof(XtfDiskOpen) == 32, "XtfDiskOpen");
_Static_assert(sizeof(XtfDiskNode) == 16, "XtfDiskNode");
_Static_assert(sizeof(XtfDiskArray) == 80, "XtfDiskArray");
_Static_assert(sizeof(XtfDiskPieces) == 8, "XtfDiskPieces");
_Static_assert(sizeof(XtfDiskPiece) == 16, "XtfDiskPiece");
_Static_assert(sizeof(XtfDiskPieceBody) == 8, "XtfDiskPieceBody");
_Static_assert(sizeof(XtfDiskShift) == 16, "XtfDiskShift");
_Static_assert(sizeof(XtfDiskBranch) == 48, "XtfDiskBranch");
_Static_assert(sizeof(XtfDiskCatalog) == 8, "XtfDiskCatalog");
_Static_assert(sizeof(XtfDiskSection) == 16, "XtfDiskSection");
_Static_assert(sizeof(XtfDiskClock) == 48, "XtfDiskClock");
_Static_assert(sizeof(XtfDiskSegment) == 32, "XtfDiskSegment");
_Static_assert(sizeof(XtfDiskArrays) == 32, "XtfDiskArrays");
_Static_assert(sizeof(XtfDiskTable) == 16, "XtfDiskTable");
_Static_assert(sizeof(XtfDiskLeafLists) == 8, "XtfDiskLeafLists");
_Static_assert(sizeof(XtfDiskLeafList) == 16, "XtfDiskLeafList");
_Static_assert(sizeof(XtfDiskFree) == 24, "XtfDiskFree");
_Static_assert(sizeof(XtfDiskFile) == 64, "XtfDiskFile");
_Static_assert(sizeof(XtfDiskLimits) == 24, "XtfDiskLimits");
_Static_assert(sizeof(XtfDiskSegmentMap) == 16, "XtfDiskSegmentMap");
_Static_assert(sizeof(XtfDiskTableMap) == 24, "XtfDiskTableMap");
_Static_assert(sizeof(XtfDiskClockMaps) == 24, "XtfDiskClockMaps");
_Static_assert(sizeof(XtfDiskClockMap) == 8, "XtfDiskClockMap");
_Static_assert(sizeof(XtfDiskClockKnot) == 24, "XtfDiskClockKnot");
