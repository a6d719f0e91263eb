#include "src/import/opents/importer.h"

#include "src/import/opents/prolog.h"

#define BIT(TAG) (UINT64_C(1) << XTF_MODEL_##TAG)

const XtfImporter xtf_opents_importer = {
    .name = "OpenTS",
    .description = "an XML file (NAME.xml) of OpenTS",
    .ending = ".xml",
    .common_ending = true,
    .has_values = true,
    .identity = XTF_OPENTS_ID,
    .types = BIT(SLICES) | BIT(RESOURCES) | BIT(TASK_STATES) | BIT(TASK_MOVES) | BIT(MESSAGE_TOTALS) |
             BIT(MESSAGE_KINDS) | BIT(BACKWARD_TIMES),
    .detect = xtf_opents_detect,
    .run = xtf_opents_import,
};
