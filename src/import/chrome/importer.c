#include "src/import/chrome/importer.h"

#define BIT(TAG) (UINT64_C(1) << XTF_MODEL_##TAG)

const XtfImporter xtf_chrome_importer = {
    .name = "Chrome",
    .description = "a JSON file (NAME.json) of Chrome's trace events, also packed by gzip",
    .ending = ".json",
    .common_ending = true,
    .identity = XTF_CHROME_ID,
    .types = BIT(ENTERS_LEAVES) | BIT(SENDS) | BIT(RECVS) | BIT(COUNTERS) | BIT(MARKERS) | BIT(ASYNC) |
             BIT(ATTRIBUTES) | BIT(METRIC_VALUES) | BIT(BACKWARD_TIMES) | BIT(POSTINGS) | BIT(CANCELLED) |
             BIT(REGION_IDS),
    .detect = xtf_chrome_detect,
    .advice = xtf_chrome_advice,
    .run = xtf_chrome_import,
};
