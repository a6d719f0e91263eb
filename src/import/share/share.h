/*
 * The share of a rank in an import that several processes do together.
 *
 * All ranks read the same definitions, and resolve them to the same rows and strings. Then each rank reads the events
 * of its locations into a part. Meanwhile it may add late rows to tables, such as sites of calls and ids without a
 * definition. Afterwards one process combines the results of all ranks. It reads the definitions again, and adds
 * the late rows of all ranks in the order of an import by one process. It writes them into a part
 * without events. For each part it finds which rows have become which.
 */
#pragma once

#include "libxtf/merge.h"
#include "libxtf/trace.h"
#include "src/import/definitions/definitions.h"

/* A remark on a location. */
typedef struct {
    unsigned list; /* number of a list in the report */
    uint32_t location;
    char *text;
} XtfShareNote;

typedef struct {
    unsigned rank, size;
    GPtrArray *results; /* GVariant: the results of all ranks, to be combined; NULL: this process reads events */
    GVariant *result;   /* of this rank, of type XTF_SHARE_TYPE; or the parts, of type XTF_SHARE_PARTS_TYPE */
    /* Index of the location that is being read, in the order of one process; XTF_NONE32: none. Exact if one thread
     * reads. */
    _Atomic uint32_t location;
    GArray *notes;                       /* XtfShareNote */
    uint64_t n_unlisted;                 /* remarks on locations that were not listed */
    uint64_t n_locations;                /* number of locations of this rank */
    uint32_t known[XTF_N_MODEL_SCHEMAS]; /* by table: rows before events were read */
} XtfShare;

#define XTF_SHARE_TYPE       G_VARIANT_TYPE("a{sv}")
#define XTF_SHARE_PARTS_TYPE G_VARIANT_TYPE("a(ba(sau))") /* by rank: XtfMergePart without its path */

void xtf_share_init(XtfShare *share, unsigned rank, unsigned size, GPtrArray *results);
void xtf_share_finish(XtfShare *share);

/* Notes which rows all ranks have: call it after the definitions are resolved, and before events are read. */
void xtf_share_begin(XtfShare *share, XtfDefinitions *definitions);
/* Adds a remark on the location that is being read; does nothing if none is. */
void xtf_share_note(XtfShare *share, unsigned list, const char *text);

/* Returns a flag by location: true if this rank reads it. `weights`: work of each location. All ranks get about
 * the same work: the heaviest location goes to the rank that has least so far, and so on. The caller frees it. */
bool *xtf_share_deal(const XtfShare *share, const uint64_t *weights, uint32_t n);

/* Adds the late rows of this rank to its result. `part` is the finished part. */
bool xtf_share_pack_rows(const XtfShare *share, const XtfDefinitions *definitions, XtfTrace *part,
                         GVariantBuilder *result, GError **error);

/* Adds the late rows of all results to the definitions. Returns the parts of all ranks, of XTF_SHARE_PARTS_TYPE. */
GVariant *xtf_share_combine_rows(const XtfShare *share, XtfDefinitions *definitions, GError **error);
