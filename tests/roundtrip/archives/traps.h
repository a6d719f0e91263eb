/*
 * One archive for each thing that real archives do and readers trip over.
 */
#pragma once

#include "archive.h"

/* Times: traps-clock.c */
void write_clock_offsets(const char *folder); /* nodes whose clocks are hours apart, and drift */
void write_clock_1hz(const char *folder);
void write_clock_4ghz(const char *folder);
void write_backward_times(const char *folder);

/* Ids: traps-ids.c */
void write_mapped_ids(const char *folder);    /* every location numbers its definitions in its own way */
void write_rank_low_ids(const char *folder);  /* rank + thread << 32 */
void write_rank_high_ids(const char *folder); /* rank << 32 + thread */

/* Definitions: traps-definitions.c */
void write_duplicate_definitions(const char *folder); /* some alike, some not */
void write_late_definitions(const char *folder);      /* after what refers to them, or only in the local files */
void write_missing_definitions(const char *folder);
void write_region_per_process(const char *folder); /* one region under as many ids as there are processes */
void write_wrong_counts(const char *folder);       /* of events, in the locations' definitions */

/* Events: traps-calls.c */
void write_odd_calls(const char *folder);     /* never left, left twice, left and never entered, recursion */
void write_open_receives(const char *folder); /* requests that never complete */

/* Messages: traps-messages.c */
void write_requests(const char *folder);        /* each way in which requests come and go */
void write_random_requests(const char *folder); /* all of these, by chance */

/* Files: traps-files.c */
void write_another_name(const char *folder);
void write_missing_events(const char *folder);   /* the file of location 1 is not there */
void write_truncated_events(const char *folder); /* the file of location 1 has half its bytes */
void write_no_events(const char *folder);        /* a location without an event, and no other */

/*
 * What a process in a ring does: `n` times it calls `work` (region 0) and `exchange` (region 1), in which it sends to
 * the next and receives from the one before. 6 events each time, 10 ticks apart. They need communicator 0.
 */
void ring_events(Archive *archive, uint64_t location, uint32_t rank, uint32_t n_ranks, uint64_t start, unsigned n);
/* Its definitions, with the clock left out: `n` processes of one location each. */
void ring_definitions(Archive *archive, const uint64_t *locations, uint32_t n);
