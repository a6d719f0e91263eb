#include "src/import/otf2/importer.h"

#include <xtf-options.h>

#include "src/import/otf2/files.h"

/* Types of arrays that no archive of OTF2 has. */
#define FOREIGN_TYPES                                                                                        \
    (UINT64_C(1) << XTF_MODEL_PENDING | UINT64_C(1) << XTF_MODEL_MARKERS | UINT64_C(1) << XTF_MODEL_ASYNC |  \
     UINT64_C(1) << XTF_MODEL_LINKS | UINT64_C(1) << XTF_MODEL_SLICES | UINT64_C(1) << XTF_MODEL_RESOURCES | \
     UINT64_C(1) << XTF_MODEL_TASK_STATES | UINT64_C(1) << XTF_MODEL_TASK_MOVES |                            \
     UINT64_C(1) << XTF_MODEL_MESSAGE_TOTALS | UINT64_C(1) << XTF_MODEL_MESSAGE_KINDS)

const XtfImporter xtf_otf2_importer = {
    .name = "OTF2",
    .description = "the anchor file (NAME" XTF_OTF2_ENDING ") of an OTF2 archive",
    .ending = XTF_OTF2_ENDING,
    .identity = XTF_OTF2_TRACE_ID,
    .shares = true,
    .option = "otf2",
    .types = ~FOREIGN_TYPES,
    .detect = xtf_otf2_is_anchor,
    .advice = xtf_otf2_advice,
    .files = xtf_otf2_files,
#ifdef XTF_WITH_OTF2
    .run = xtf_otf2_import,
#endif
};
