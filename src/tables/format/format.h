/*
 * Records as lines of a fixed width.
 *
 * The columns of a record type, and of all types merged, follow from the schemas and from the limits of their values in
 * the whole trace. So they are known without reading a row, and are the same in every selection. Each schema has a
 * program: a template, and a list of cells to fill in for each row.
 *
 * A format is immutable, and lives as long as its XtfFormats.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "libxtf/records.h"
#include "src/trace/select/selection.h"
#include "src/trace/text/lines.h"

enum {
    XTF_NAME_WIDTH_MAX = 40,   /* of the name at the end of a line */
    XTF_STRING_WIDTH_MAX = 32, /* of other text in a line */
};

typedef struct {
    char *name, *unit, *description;
    uint32_t from, width; /* bytes; one space after each */
    bool left;            /* text, aligned left */
} XtfRecordColumn;

/* Names of table rows, or labels, escaped and padded: one after another, `width` bytes each. */
typedef struct {
    uint64_t n;
    uint32_t width;
    char *text;
    const char **whole; /* the texts themselves, borrowed from the trace */
} XtfPaddedNames;

/* Adds a name as the next cell of a table. */
void xtf_lines_padded_name(XtfLines *lines, const XtfPaddedNames *names, uint64_t i);

typedef enum {
    XTF_CELL_UNSIGNED,
    XTF_CELL_SIGNED,
    XTF_CELL_REAL,
    XTF_CELL_NAME,   /* the value is an index into `names` */
    XTF_CELL_TYPE,   /* the record type, if it has no events */
    XTF_CELL_STRING, /* of the trace's heap */
    XTF_CELL_PEER,   /* a rank, shown as a process */
    XTF_CELL_VALUE,  /* 64 bits, whose type is in another field */
    XTF_CELL_BYTES,  /* of a type that is not known: its bytes in the order of the row, as hexadecimal digits */
    /* Of calls, whose rows are ENTERs; they have no field. See call-cells.h. */
    XTF_CELL_CALL_END,
    XTF_CELL_CALL_DURATION,
    XTF_CELL_CALL_EXCLUSIVE,
    XTF_CELL_CALL_ENDING,
    XTF_CELL_LEAVE_DURATION, /* of `enters_leaves` */
} XtfCellKind;

typedef struct {
    XtfCellKind kind;
    const XtfField *field; /* NULL: XTF_CELL_TYPE, and cells of calls */
    const XtfField *other; /* of a VALUE: the field of its type. May be NULL */
    XtfCommSource comm;    /* of a PEER */
    const XtfPaddedNames *names;
    uint64_t max;      /* of an UNSIGNED: the largest that fits; of a time of calls: the most ticks */
    uint32_t from, to; /* in the line */
    uint32_t width;    /* of the widest value; the column may be wider */
    uint32_t column;
    bool last; /* in the line: blanks stay blanks */
} XtfCell;

typedef struct {
    uint32_t n_cells;
    XtfCell *cells;
    char *template;
    bool shows_calls; /* has cells of calls */
} XtfProgram;

typedef struct {
    GArray *columns;      /* of XtfRecordColumn */
    uint32_t line;        /* bytes, with the newline */
    bool has_prefix;      /* begins with time, proc, thread */
    bool of_calls;        /* rows are ENTERs, lines are calls */
    XtfProgram *programs; /* by schema; a NULL template: no lines of it */
    uint32_t n_programs;
} XtfFormat;

typedef struct {
    XtfTraceContext *context; /* borrowed */
    GMutex lock;
    XtfFormat **formats;   /* by schema; then that of all types merged, and that of calls */
    GHashTable *names;     /* table and width to XtfPaddedNames */
    GPtrArray *labels;     /* XtfPaddedNames of fields */
    const XtfRanks *ranks; /* once there is a format */
} XtfFormats;

void xtf_formats_init(XtfFormats *formats, XtfTraceContext *context);
void xtf_formats_finish(XtfFormats *formats);

/* Whether lines of some type have cells of calls. */
bool xtf_format_shows_calls(const XtfFormat *format);

void xtf_format_free(XtfFormat *format); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfFormat, xtf_format_free)

/* The lines of a type, of a side array, or with XTF_ANY_TYPE or XTF_NO_TYPE of all types merged. NULL with an error. */
const XtfFormat *xtf_formats_get(XtfFormats *formats, int64_t type, GError **error);
/* The lines of a selection: those of its type, or of calls. */
const XtfFormat *xtf_formats_of(XtfFormats *formats, const XtfSelection *selection, GError **error);

/* With the lock held: the names of a table's rows, no wider than `cap`. *names is NULL if the table has no names. */
bool xtf_formats_names(XtfFormats *formats, const char *table, uint32_t cap, const XtfPaddedNames **names,
                       GError **error);
/* The same for the end of a line, without the lock. */
bool xtf_padded_names_of_table(XtfFormats *formats, const char *table, const XtfPaddedNames **names, GError **error);
/* The same for a column in the midst of a line, where blanks are escaped. */
bool xtf_padded_words_of_table(XtfFormats *formats, const char *table, const XtfPaddedNames **names, GError **error);
/* The labels of a field's values; as wide as the labels of values within the field's limits. */
const XtfPaddedNames *xtf_formats_labels(XtfFormats *formats, const XtfField *field, const XtfLimits *limits);
/* The same of n words. */
const XtfPaddedNames *xtf_formats_words(XtfFormats *formats, const char *const *words, uint64_t n);

/* Whether a cell shows a string, and which: num/K shows all of it. */
bool xtf_cell_string(const XtfCell *cell, const uint8_t *row, uint32_t *string);

/* Renders lines of a format, and remembers their beginnings. One thread at a time. */
typedef struct XtfRenderer XtfRenderer;

XtfRenderer *xtf_renderer_new(XtfFormats *formats, const XtfFormat *format, const XtfLocations *locations);
void xtf_renderer_free(XtfRenderer *renderer); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfRenderer, xtf_renderer_free)

/* Memory that it holds, about. */
size_t xtf_renderer_bytes(const XtfRenderer *renderer);

/* Renders a run's rows into `out`, which has room for n_rows lines. The span's tag is the index of its location. */
bool xtf_renderer_run(XtfRenderer *renderer, const XtfRowRun *run, char *out, GError **error);
/* The same with the line of row i at places[i]. */
bool xtf_renderer_run_to(XtfRenderer *renderer, const XtfRowRun *run, char *const *places, GError **error);
