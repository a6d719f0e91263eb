/* otf2-archives FOLDER [NAME...]: writes the test archives with the given names, or all of them, into FOLDER. */
#include <stdio.h>
#include <string.h>

#include "all-events.h"
#include "sums.h"
#include "traps.h"

static const struct {
    const char *name;
    void (*write)(const char *folder);
} ARCHIVES[] = {
    {"all-events", write_all_events},
    {"clock-offsets", write_clock_offsets},
    {"clock-1hz", write_clock_1hz},
    {"clock-4ghz", write_clock_4ghz},
    {"mapped-ids", write_mapped_ids},
    {"rank-low-ids", write_rank_low_ids},
    {"rank-high-ids", write_rank_high_ids},
    {"duplicate-definitions", write_duplicate_definitions},
    {"late-definitions", write_late_definitions},
    {"missing-definitions", write_missing_definitions},
    {"region-per-process", write_region_per_process},
    {"wrong-counts", write_wrong_counts},
    {"odd-calls", write_odd_calls},
    {"open-receives", write_open_receives},
    {"contexts", write_contexts},
    {"odd-contexts", write_odd_contexts},
    {"samples-alone", write_samples_alone},
    {"requests", write_requests},
    {"random-requests", write_random_requests},
    {"another name.v2", write_another_name},
    {"missing-events", write_missing_events},
    {"truncated-events", write_truncated_events},
    {"backward-times", write_backward_times},
    {"no-events", write_no_events},
    {"sums-calls", write_sums_calls},
    {"sums-deep", write_sums_deep},
    {"sums-instant", write_sums_instant},
    {"sums-ties", write_sums_ties},
    {"sums-regions", write_sums_regions},
    {"sums-names", write_sums_names},
    {"sums-messages", write_sums_messages},
    {"sums-communicators", write_sums_communicators},
    {"sums-metrics", write_sums_metrics},
    {"sums-growth", write_sums_growth},
    {"sums-hybrid", write_sums_hybrid},
    {"sums-plain", write_sums_plain},
    {"diff-before", write_diff_before},
    {"diff-after", write_diff_after},
};

static int write_one(const char *folder, const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(ARCHIVES); i++) {
        if (strcmp(ARCHIVES[i].name, name) == 0) {
            ARCHIVES[i].write(folder);
            return 0;
        }
    }
    fprintf(stderr, "otf2-archives: no archive is called '%s'\n", name);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: otf2-archives FOLDER [NAME...]\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        int status = write_one(argv[1], argv[i]);
        if (status != 0)
            return status;
    }
    for (size_t i = 0; argc == 2 && i < G_N_ELEMENTS(ARCHIVES); i++)
        ARCHIVES[i].write(argv[1]);
    return 0;
}
