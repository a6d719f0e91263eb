#include "src/import/otf1/importer.h"

#include <xtf-options.h>

#include "src/import/otf1/files.h"

#define BIT(TAG)    (UINT64_C(1) << XTF_MODEL_##TAG)
#define EVENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

const XtfImporter xtf_otf1_importer = {
    .name = "OTF1",
    .description = "the master file (NAME" XTF_OTF1_ENDING ") of an archive of OTF 1",
    .ending = XTF_OTF1_ENDING,
    .common_ending = true, /* of fonts, too */
    .identity = XTF_OTF1_TRACE_ID,
    .option = "otf1",
    .suspects = "stream",
    .types = BIT(ENTERS_LEAVES) | BIT(SENDS) | BIT(RECVS) | BIT(COLLECTIVES) | BIT(COUNTERS) | BIT(THREADS) |
             BIT(MARKERS) | BIT(IO_CONTROL) | BIT(IO_SEEKS) | BIT(IO_OPERATIONS) | BIT(IO_LOCKS) | BIT(RMA_OPERATIONS) |
             BIT(UNKNOWN) | BIT(ATTRIBUTES) | BIT(METRIC_VALUES) | BIT(BACKWARD_TIMES) | BIT(POSTINGS),
    .events =
        {
            [XTF_MODEL_IO_CONTROL] = EVENTS("FILE_RENAME", "FILE_OTHER"),
            [XTF_MODEL_THREADS] = EVENTS("BEGIN_PROCESS", "END_PROCESS"),
            [XTF_MODEL_UNKNOWN] = EVENTS("NOOP"),
            [XTF_MODEL_RMA_OPERATIONS] = EVENTS("RMA_PUT_REMOTE_END"),
            [XTF_MODEL_MARKERS] = EVENTS("EVENT_COMMENT"),
        },
    .detect = xtf_otf1_is_master,
    .advice = xtf_otf1_advice,
    .files = xtf_otf1_files,
#ifdef XTF_WITH_OTF1
    .run = xtf_otf1_import,
#endif
};
