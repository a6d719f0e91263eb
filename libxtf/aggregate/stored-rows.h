/*
 * The rows that tables of sums hold (XtfDiskTotals in format.h), as schemas, so that they can be packed as others are.
 * They are made once and live as long as the process; any thread may call these.
 */
#pragma once

#include "libxtf/schema.h"

/* Fields of totals: this many, then the keys, then the cells. */
enum { XTF_TOTALS_CHILD, XTF_TOTALS_DEPTH, XTF_TOTALS_KEYS };

/* The sums are sound. Sums of as many keys and cells share one. */
const XtfSchema *xtf_stored_totals_schema(const XtfAggregate *aggregate);

/* Fields of snapshots. */
enum { XTF_SNAPSHOT_CHILD, XTF_SNAPSHOT_KEY, XTF_SNAPSHOT_ROW, XTF_SNAPSHOT_TIME, XTF_SNAPSHOT_OUTERMOST };

const XtfSchema *xtf_stored_snapshot_schema(void);
