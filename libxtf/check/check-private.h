/*
 * What the files of the checker share: a check under way.
 *
 *   check.c             the whole: P index, tables, what opening needs, counts
 *   check-array.c       one array: its pages along each level
 *   check-pages.c       which use each page of the file has
 *   check-report.c      problems and progress
 *   check-aggregates.c  totals against rows
 *   check-values.c      limits of values, strings, numbers of rows
 *   check-header.c      superblocks
 *   check-schemas.c     names in schemas, what fields refer to
 *   check-files.c       the files of an anchor
 *   check-segments.c    segments beside one another, and their maps
 */
#pragma once

#include "libxtf/check.h"
#include "libxtf/tree/descent.h"

typedef struct XtfValueCheck XtfValueCheck; /* check-values.c */

/* The use of a page of the file. */
enum {
    XTF_USE_NONE,
    XTF_USE_PAGE,     /* a sealed page of a tree */
    XTF_USE_RESERVED, /* the place of an open page */
    XTF_USE_ITEM,     /* items lie in it */
    XTF_USE_FREE,     /* the catalog says that no item takes it */
};

/* The position of the walk along a level of an array. */
typedef struct {
    uint64_t place, next; /* of the page just passed; 0 before the first */
    uint64_t n;           /* rows passed */
} XtfLevelWalk;

typedef struct {
    XtfTrace *trace;
    XtfCheckProblem problem;
    XtfCheckProgress progress;
    void *data;
    bool stored_only; /* rows are not looked at */
    XtfCheckReport report;
    bool *wrong_files;     /* by the catalog's files: it cannot be read, or is another one than is meant */
    uint64_t *wrong_pages; /* the pages of wrong files before each, and of them all */
    uint8_t *uses;         /* by slot: page of the file, less the pages of wrong files before it */
    uint64_t n_uses;
    GHashTable *beyond; /* reserved places past the end of the file */
    uint64_t *n_rows;   /* by schema, found */
    bool *unknown;      /* by schema: not all of its rows can be read */
    uint64_t n_nodes;   /* of the P index, met */
    XtfValueCheck *values;
    GArray *array_ids; /* segment and id of each array, uint64_t */
    bool cancelled;
    bool any_record;
    uint64_t first, last; /* of records, in global time */
    bool any_derived;
    uint64_t derived_first, derived_last;
    /* Of the array being walked. */
    const XtfArray *array;
    XtfLevelWalk levels[XTF_HEIGHT_MAX];
    uint64_t last_t;
} XtfChecking;

/* A file made wrong on purpose can have endless problems; the check stops at this number. */
enum { XTF_CHECK_PROBLEMS_MAX = 1000 };

static inline bool xtf_checking_stopping(const XtfChecking *check)
{
    return check->cancelled || check->report.problems >= XTF_CHECK_PROBLEMS_MAX;
}

static inline bool xtf_checking_all_zero(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Reports a problem, or an error that a reader met, which is freed. */
void xtf_checking_problem(XtfChecking *check, const char *format, ...) G_GNUC_PRINTF(2, 3);
void xtf_checking_take_error(XtfChecking *check, GError **error);
void xtf_checking_report_progress(XtfChecking *check);
/* Tells of progress; false: the check stops. */
bool xtf_checking_go_on(XtfChecking *check);

/* Says that a page has a use; false if it has another one already. */
bool xtf_checking_use_page(XtfChecking *check, uint64_t page, uint8_t use);
/* The pages of an item, whose offset counts from `base`. */
void xtf_checking_use_item(XtfChecking *check, uint64_t base, XtfRef ref);
/* The same of an item that lies in an anchor, and not in one of its files. */
void xtf_checking_use_own_item(XtfChecking *check, XtfRef ref);
/* What the catalog calls free must be so. */
void xtf_checking_free_pages(XtfChecking *check);
/* Counts the pages of each use for the report. */
void xtf_checking_count_pages(XtfChecking *check);

/* Walks an array's pages; its times are local. */
void xtf_checking_walk_array(XtfChecking *check, const XtfArray *array);
/* Computes all stored totals, borders, snapshots and filters of an array again from the rows. The array's pages must be
 * sound; what is stored need not be. */
void xtf_checking_aggregates(XtfChecking *check, const XtfArray *array);

void xtf_checking_superblocks(XtfChecking *check);
/* Whether both superblocks of a closed file say the same, each with items of its own. */
void xtf_checking_twin(XtfChecking *check, const XtfTwin *twin);
void xtf_checking_schemas(XtfChecking *check); /* beside what no reader could bear */
/* Finds which of the files that an anchor names are not there, or not the ones that it means. */
void xtf_checking_files(XtfChecking *check);
/* Whether a page lies in no such file. */
bool xtf_checking_can_read(const XtfChecking *check, uint64_t page);
/* Of a page that can be read: its index in `uses`, if that is not past the end. */
uint64_t xtf_checking_page_slot(const XtfChecking *check, uint64_t page);
bool xtf_checking_lies_in_anchor(const XtfChecking *check, uint64_t page); /* true in a file that is none */
bool xtf_checking_lies_in_one_file(const XtfChecking *check, uint64_t first, uint64_t last);
/* Where segments lie, and how their numbers become those of the file. */
void xtf_checking_segments(XtfChecking *check);

/* The strings that rows refer to, and the limits that the catalog states of each field. Walks the heap of strings;
 * `check` is borrowed. */
XtfValueCheck *xtf_value_check_new(XtfTrace *trace, XtfChecking *check);
void xtf_value_check_free(XtfValueCheck *values); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfValueCheck, xtf_value_check_free)
/* Rows of an array or a table, side by side. */
void xtf_value_check_rows(XtfValueCheck *values, const XtfSchema *schema, const uint8_t *rows, uint64_t count);
/* Compares the limits. `all`: every row of the trace was passed. */
void xtf_value_check_limits(XtfValueCheck *values, bool all);
