/*
 * Records as lines of a fixed width.
 *
 * The schemas and the limits of their values in the whole trace determine the columns of a record type, and of all
 * types merged. No row is read to find the columns, and they are the same in every selection. Each schema has a
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
    XTF_NAME_WIDTH_MAX = 40,   /* bytes of the name at the end of a line */
    XTF_STRING_WIDTH_MAX = 32, /* bytes of any other text in a line */
};

typedef struct {
    char *name, *unit, *description;
    uint32_t from, width; /* bytes; one space after each */
    bool left;            /* the cells are text, aligned left */
} XtfRecordColumn;

/* Names of table rows, or labels: escaped, padded to `width` bytes each, and stored one after another. */
typedef struct {
    uint64_t n;
    uint32_t width;
    char *text;
    const char **whole; /* the unpadded texts, borrowed from the trace */
} XtfPaddedNames;

/* Adds a name as the next cell of a table. */
void xtf_lines_padded_name(XtfLines *lines, const XtfPaddedNames *names, uint64_t i);
/* Adds the name, or nothing if `names` is NULL or has fewer names. */
void xtf_lines_padded_name_if(XtfLines *lines, const XtfPaddedNames *names, uint64_t i);

typedef enum {
    XTF_CELL_UNSIGNED,
    XTF_CELL_SIGNED,
    XTF_CELL_REAL,
    XTF_CELL_NAME,   /* the value is an index into `names` */
    XTF_CELL_TYPE,   /* the record type, of types without a field of the event */
    XTF_CELL_STRING, /* number of a string in the trace's heap */
    XTF_CELL_PEER,   /* a rank, shown as a process */
    XTF_CELL_VALUE,  /* 64 bits, whose type is in another field */
    XTF_CELL_BYTES,  /* value of an unknown type: its bytes in the order of the row, as hexadecimal digits */
    /* Cells of call sites, which have no field. See site-cells.h. */
    XTF_CELL_SITE,         /* site of the call around the record */
    XTF_CELL_CULPRIT_SITE, /* in a line of a wait: site of the culprit's call */
    /* Cells of calls, which have no field: their rows are ENTERs. See call-cells.h. */
    XTF_CELL_CALL_END,
    XTF_CELL_CALL_DURATION,
    XTF_CELL_CALL_EXCLUSIVE,
    XTF_CELL_CALL_ENDING,
    XTF_CELL_LEAVE_DURATION, /* duration of the call that a LEAVE ends, in lines of `enters_leaves` */
} XtfCellKind;

typedef struct {
    XtfCellKind kind;
    const XtfField *field;      /* NULL: XTF_CELL_TYPE, and cells of call sites and calls */
    const XtfField *value_type; /* of a VALUE: the field of its type. May be NULL */
    XtfCommSource comm;         /* of a PEER: where its communicator comes from */
    const XtfPaddedNames *names;
    uint64_t max;      /* of an UNSIGNED: the largest number that fits; of a time of calls: the most ticks */
    uint32_t from, to; /* byte positions in the line */
    uint32_t width;    /* of the widest value; the column may be wider */
    uint32_t column;
    bool last; /* the last cell of the line: its blanks are not escaped */
} XtfCell;

typedef struct {
    uint32_t n_cells;
    XtfCell *cells;
    char *template;
    bool shows_calls; /* has cells of calls */
    bool shows_sites; /* has cells of call sites */
} XtfProgram;

typedef struct {
    GArray *columns;      /* of XtfRecordColumn */
    uint32_t line;        /* bytes of a line, with its newline */
    bool has_prefix;      /* lines begin with time, proc, thread */
    bool of_calls;        /* rows are ENTERs, lines are calls */
    XtfProgram *programs; /* by schema; a NULL template: the format has no lines of the schema */
    uint32_t n_programs;
} XtfFormat;

typedef struct {
    XtfTraceContext *context; /* borrowed */
    GMutex lock;
    XtfFormat **formats;   /* by schema; then the formats of all types merged and of calls */
    GHashTable *names;     /* maps "WIDTH TABLE" to XtfPaddedNames */
    GPtrArray *labels;     /* XtfPaddedNames of the labels of fields */
    const XtfRanks *ranks; /* borrowed; NULL until the first format is made */
} XtfFormats;

void xtf_formats_init(XtfFormats *formats, XtfTraceContext *context);
void xtf_formats_finish(XtfFormats *formats);

/* True if lines of some type have cells of calls. */
bool xtf_format_shows_calls(const XtfFormat *format);

void xtf_format_free(XtfFormat *format); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfFormat, xtf_format_free)

/* Returns the format of a record type or a side array; of all types merged for XTF_ANY_TYPE and XTF_NO_TYPE. NULL with
 * an error. */
const XtfFormat *xtf_formats_get(XtfFormats *formats, int64_t type, GError **error);
/* Returns the format of a selection's lines: of its type, or of calls. NULL with an error. */
const XtfFormat *xtf_formats_of(XtfFormats *formats, const XtfSelection *selection, GError **error);

/* Finds or makes the padded names of a table's rows, no wider than `cap`. The caller holds the lock. *names is NULL if
 * the table has no names. */
bool xtf_formats_names(XtfFormats *formats, const char *table, uint32_t cap, const XtfPaddedNames **names,
                       GError **error);
/* Finds or makes the names of call sites, if the calls of the trace have sites. The caller holds the lock. */
bool xtf_formats_site_names(XtfFormats *formats, const XtfPaddedNames **names, GError **error);
/* Finds the names of a table for the end of a line, like xtf_formats_names(). Takes the lock. */
bool xtf_padded_names_of_table(XtfFormats *formats, const char *table, const XtfPaddedNames **names, GError **error);
/* Finds the names of a table for a column inside a line, where blanks are escaped. Takes the lock. */
bool xtf_padded_words_of_table(XtfFormats *formats, const char *table, const XtfPaddedNames **names, GError **error);
/* Finds the names of call sites for any column, as NAME(FILE:LINE) without a blank. A name that is too long is only
 * FILE:LINE. *names is NULL if the calls of the trace have no sites. Takes the lock. */
bool xtf_padded_names_of_sites(XtfFormats *formats, const XtfPaddedNames **names, GError **error);
/* Adds the name of a site as the next cell: a dash for XTF_NONE32 or without names. */
void xtf_lines_site(XtfLines *lines, const XtfPaddedNames *names, uint32_t site);
/* Makes the padded labels of a field's values. They are as wide as the widest label of a value within `limits`. */
const XtfPaddedNames *xtf_formats_labels(XtfFormats *formats, const XtfField *field, const XtfLimits *limits);
/* Pads n words to the width of the widest. */
const XtfPaddedNames *xtf_formats_words(XtfFormats *formats, const char *const *words, uint64_t n);

/* True if a cell shows a string; sets `*string` to its number. num/K shows the whole string. */
bool xtf_cell_string(const XtfCell *cell, const uint8_t *row, uint32_t *string);

/* Renders lines of a format, and caches how they begin. Only one thread at a time may use a renderer. */
typedef struct XtfRenderer XtfRenderer;

XtfRenderer *xtf_renderer_new(XtfFormats *formats, const XtfFormat *format, const XtfLocations *locations);
void xtf_renderer_free(XtfRenderer *renderer); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfRenderer, xtf_renderer_free)

/* Returns about how much memory the renderer holds. */
size_t xtf_renderer_bytes(const XtfRenderer *renderer);

/* Renders a run's rows into `out`, which has room for n_rows lines. The span's tag is the index of its location. */
bool xtf_renderer_run(XtfRenderer *renderer, const XtfRowRun *run, char *out, GError **error);
/* Renders a run's rows, the line of row i at places[i]. */
bool xtf_renderer_run_to(XtfRenderer *renderer, const XtfRowRun *run, char *const *places, GError **error);
