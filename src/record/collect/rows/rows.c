/* The list of all decoders. */
#include "src/record/collect/rows/collect.h"

const XtfCollectRows *const xtf_collect_rows[] = {
    &xtf_collect_framing,
    &xtf_collect_calls,
    &xtf_collect_measurement,
    &xtf_collect_messages,
    &xtf_collect_handles,
    &xtf_collect_rma,
    &xtf_collect_io,
    &xtf_collect_threads,
    &xtf_collect_own_regions,
    &xtf_collect_sites,
    NULL,
};
