/*
 * The members of communicators as ranges of processes, in the order of their ranks: `0-3,7`.
 *
 * Immutable once loaded: any thread may use it.
 */
#pragma once

#include "src/trace/context/ranks.h"

enum {
    XTF_MEMBER_TEXT_MAX = 256,       /* most bytes in a column */
    XTF_MEMBER_TEXT_WHOLE = 1 << 20, /* most bytes of a text in CSV and JSON */
};

typedef enum {
    XTF_MEMBERS_OWN,    /* members of the communicator's group */
    XTF_MEMBERS_REMOTE, /* members of its second group */
    XTF_N_MEMBER_GROUPS,
} XtfMemberGroup;

typedef struct {
    const XtfRanks *ranks;             /* borrowed */
    uint32_t *runs;                    /* by row of `members`: rows from this one on whose processes ascend by 1 */
    size_t width[XTF_N_MEMBER_GROUPS]; /* bytes of the longest text, at most XTF_MEMBER_TEXT_MAX */
    uint64_t most;                     /* members of the largest communicator, at least 1 */
} XtfMemberRanges;

void xtf_member_ranges_load(XtfMemberRanges *ranges, const XtfRanks *ranks);
void xtf_member_ranges_finish(XtfMemberRanges *ranges); /* accepts all zeros */

/* Sets `text` to the members of a group; an unknown process is `?`. A text of more than `most` bytes ends in `,...`.
 * False if the communicator has no such group. */
bool xtf_member_ranges_text(const XtfMemberRanges *ranges, uint64_t comm, XtfMemberGroup group, size_t most,
                            GString *text);
