/*
 * Declarations of tables: each column has a name, a type, a unit and a meaning. The heading of a text table, the names
 * in CSV and JSON, and the reference in docs/TREE.md and `xtf help` use them.
 *
 * A table's columns are declared once, beside the code that fills them:
 *
 *     static const XtfColumn columns[] = {
 *         XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process"),
 *         XTF_COLUMN("exclusive", XTF_COLUMN_TIME, NULL, "time in the region itself, without the calls below it"),
 *     };
 *     static const XtfTableDeclaration table = XTF_TABLE("times", "a line for each process", columns);
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef enum {
    XTF_COLUMN_NUMBER,  /* a whole number */
    XTF_COLUMN_TIME,    /* ticks, shown as exact seconds, or as bytes if the clock counts bytes */
    XTF_COLUMN_PERCENT, /* hundredths of a percent */
    XTF_COLUMN_REAL,    /* a floating-point number */
    XTF_COLUMN_ANY,     /* numbers, times and words, aligned right */
    XTF_COLUMN_WORD,    /* text, aligned right */
    XTF_COLUMN_TEXT,    /* text, aligned left */
} XtfColumnType;

typedef struct {
    const char *name;
    XtfColumnType type;
    const char *unit;    /* "B", "B/s"; NULL: the type's unit, or none */
    const char *meaning; /* of a cell, for the reference; no article at the beginning, no full stop */
} XtfColumn;

/* A column. The compiler refuses a column without a meaning. */
#define XTF_COLUMN(NAME, TYPE, UNIT, MEANING)                                                                       \
    {                                                                                                               \
        .name = (NAME), .type = (TYPE), .unit = (UNIT),                                                             \
        .meaning =                                                                                                  \
            "" MEANING + 0 * sizeof(struct { char needs_a_meaning[sizeof("" MEANING) > sizeof("word") ? 1 : -1]; }) \
    }

/* A table: its name, the meaning of a line, and all columns that the table may have. */
typedef struct {
    const char *name;    /* name of the table, as in paths */
    const char *meaning; /* of a line, for the reference */
    const XtfColumn *columns;
    unsigned n_columns;
} XtfTableDeclaration;

#define XTF_TABLE(NAME, MEANING, COLUMNS)                                                              \
    {                                                                                                  \
        .name = (NAME), .meaning = (MEANING), .columns = (COLUMNS), .n_columns = G_N_ELEMENTS(COLUMNS) \
    }

static inline bool xtf_column_is_left(const XtfColumn *column)
{
    return column->type == XTF_COLUMN_TEXT;
}
