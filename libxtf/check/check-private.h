/*
 * The state of a running check, shared by the files of the checker.
 *
 *   check.c             the whole trace: P index, tables, opening items, counts
 *   check-array.c       one array: its pages along each level
 *   check-pages.c       the use of each page of the file
 *   check-report.c      problems and progress
 *   check-aggregates.c  totals against rows
 *   check-values.c      limits of values, strings, numbers of rows
 *   check-header.c      superblocks
 *   check-schemas.c     names in schemas, references of fields
 *   check-lists.c       leaf lists against index pages
 *   check-files.c       the files of an anchor
 *   check-segments.c    segments and their maps
 */
#pragma once

#include "libxtf/check.h"
#include "libxtf/tree/descent.h"

typedef struct XtfValueCheck XtfValueCheck; /* check-values.c */

/* Uses of a page of the file. */
enum {
    XTF_USE_NONE,
    XTF_USE_PAGE,     /* a sealed page of a tree */
    XTF_USE_RESERVED, /* the place of an open page */
    XTF_USE_ITEM,     /* contains items */
    XTF_USE_FREE,     /* listed as free in the catalog */
};

/* The position of the walk along a level of an array. */
typedef struct {
    uint64_t place, next; /* place of the last page met, and of the next page that it names; 0 before the first page */
    uint64_t n;           /* number of rows in the pages met so far */
    bool unread;          /* the last page is in a file that cannot be read, and its place may be unknown */
} XtfLevelWalk;

typedef struct {
    XtfTrace *trace;
    XtfCheckProblem problem;
    XtfCheckProgress progress;
    void *data;
    bool stored_only; /* do not check rows */
    XtfCheckReport report;
    bool *wrong_files;     /* for each file of the catalog: it is missing, unreadable, or not the expected file */
    uint64_t *wrong_pages; /* number of pages in wrong files before each file; last element: in all files */
    uint8_t *uses; /* XTF_USE_ of each slot. The slot of a page is its number less the pages of wrong files before it */
    uint64_t n_uses;
    GHashTable *beyond; /* set of the numbers of reserved pages past the end of the file */
    uint64_t *n_rows;   /* for each schema: number of its rows, by the entries of arrays and tables */
    bool *unknown;      /* for each schema: true if not all of its rows are checked */
    uint64_t n_nodes;   /* nodes of the P index met so far */
    XtfValueCheck *values;
    GArray *array_ids; /* segment and id of each array, uint64_t */
    bool cancelled;
    bool any_record;
    uint64_t first, last; /* of records, in global time */
    bool any_derived;
    uint64_t derived_first, derived_last;
    /* State of the walk over one array. */
    const XtfArray *array;
    XtfLevelWalk levels[XTF_HEIGHT_MAX];
    uint64_t last_t;
    uint64_t root_first;  /* time of the root's first entry, if the array has index pages */
    uint64_t unread_rows; /* rows in files that cannot be read */
    bool removed;         /* some of its rows or pages are in volumes that were removed on purpose */
} XtfChecking;

/* Maximum number of problems. A malicious file can have endless problems; the check stops at this number. */
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

/* Reports a problem, or the problem in a reader's error, which the function frees. */
void xtf_checking_problem(XtfChecking *check, const char *format, ...) G_GNUC_PRINTF(2, 3);
void xtf_checking_take_error(XtfChecking *check, GError **error);
void xtf_checking_report_progress(XtfChecking *check);
/* Reports progress. Returns false if the check must stop. */
bool xtf_checking_go_on(XtfChecking *check);

/* Records a use of a page. Reports a problem and returns false if the page already has another use. */
bool xtf_checking_use_page(XtfChecking *check, uint64_t page, uint8_t use);
/* Records the pages of an item as used. The item's offset counts from byte `base` of the trace. */
void xtf_checking_use_item(XtfChecking *check, uint64_t base, XtfRef ref);
/* Records the pages of an item that must be in the anchor, and not in one of its files. */
void xtf_checking_use_own_item(XtfChecking *check, XtfRef ref);
/* Checks that the pages that the catalog lists as free are unused. */
void xtf_checking_free_pages(XtfChecking *check);
/* Counts the pages of each use for the report. */
void xtf_checking_count_pages(XtfChecking *check);

/* Records the segment and id of an array, which identify its pages. */
void xtf_checking_add_identity(XtfChecking *check, const XtfArray *array);
/* Walks an array's pages. The array's times are local. */
void xtf_checking_walk_array(XtfChecking *check, const XtfArray *array);
/* Recomputes all totals, borders, snapshots and filters of an array from its rows, and compares them with the stored
 * ones. The array's pages must be sound; the stored totals may be damaged. */
void xtf_checking_aggregates(XtfChecking *check, const XtfArray *array);

/* Checks the layout of an array's tables of totals. The array's pages must be sound. */
void xtf_checking_tables(XtfChecking *check, const XtfArray *array, XtfBlock *edge);
/* Returns a name of an index page for a problem, to be freed. */
char *xtf_checking_name_page(const XtfDescentPage *page);

/* Compares the leaf lists with the index pages of their arrays. */
void xtf_checking_leaf_lists(XtfChecking *check);

void xtf_checking_superblocks(XtfChecking *check);
/* Checks that both superblocks of a closed file have the same content, and that each has its own items. */
void xtf_checking_twin(XtfChecking *check, const XtfTwin *twin);
void xtf_checking_schemas(XtfChecking *check); /* checks the rules that opening a trace does not enforce */
/* Finds the named files of an anchor that are missing, or are not the expected files. */
void xtf_checking_files(XtfChecking *check);
/* True if the page is not in a file that is missing, unreadable or not the expected one. */
bool xtf_checking_can_read(const XtfChecking *check, uint64_t page);
/* True if the page is in a volume that was removed on purpose. */
bool xtf_checking_is_removed(const XtfChecking *check, uint64_t page);
/* Returns the index of a readable page in `uses`. The index may be past the end of `uses`. */
uint64_t xtf_checking_page_slot(const XtfChecking *check, uint64_t page);
/* True if the page is in the checked file itself, as all pages are if the file names no other files. */
bool xtf_checking_lies_in_anchor(const XtfChecking *check, uint64_t page);
bool xtf_checking_lies_in_one_file(const XtfChecking *check, uint64_t first, uint64_t last);
/* Checks the pages of segments, and the maps from row numbers of their tables to row numbers of the file's tables. */
void xtf_checking_segments(XtfChecking *check);

/* Returns a checker of the strings that rows refer to, and of the limits of each field in the catalog. Walks the heap
 * of strings. Borrows `check`. */
XtfValueCheck *xtf_value_check_new(XtfTrace *trace, XtfChecking *check);
void xtf_value_check_free(XtfValueCheck *values); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(XtfValueCheck, xtf_value_check_free)
/* Checks consecutive rows of an array or a table. */
void xtf_value_check_rows(XtfValueCheck *values, const XtfSchema *schema, const uint8_t *rows, uint64_t count);
/* Compares the limits of the checked rows with the limits in the catalog. `all_rows_checked`: every row of the trace
 * has been checked. */
void xtf_value_check_limits(XtfValueCheck *values, bool all_rows_checked);
