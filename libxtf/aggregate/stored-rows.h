/*
 * The rows that tables of sums hold (XtfDiskTotals in format.h), as schemas, so that they can be packed as others are.
 * They are made once and live as long as the process; any thread may call these.
 */
#pragma once

#include "libxtf/schema.h"

enum {
    /* Groups that are stored for each child at most; or at most the lesser number once the rows of the children before
     * it take XTF_TABLE_BYTES. It bounds what a page's children take in memory, the writer's and the reader's. */
    XTF_CHILD_GROUPS = 1024,
    XTF_CHILD_GROUPS_LEAST = 32,
    XTF_TABLE_BYTES = 16 << 20,
};

/* Fields of totals: this many, then the keys, then the cells. */
enum { XTF_TOTALS_CHILD, XTF_TOTALS_DEPTH, XTF_TOTALS_KEYS };

/* The sums are sound. Sums of as many keys and cells share one. */
const XtfSchema *xtf_stored_totals_schema(const XtfAggregate *aggregate);

/* Fields of snapshots. */
enum { XTF_SNAPSHOT_CHILD, XTF_SNAPSHOT_KEY, XTF_SNAPSHOT_ROW, XTF_SNAPSHOT_TIME, XTF_SNAPSHOT_OUTERMOST };

const XtfSchema *xtf_stored_snapshot_schema(void);
