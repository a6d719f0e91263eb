/* Archives that each have one peculiarity of real archives that readers often get wrong. */
#pragma once

#include "archive.h"

/* Times: traps-clock.c */
void write_clock_offsets(const char *folder); /* two nodes whose clocks differ by hours and drift */
void write_clock_1hz(const char *folder);
void write_clock_4ghz(const char *folder);
void write_backward_times(const char *folder);

/* Ids: traps-ids.c */
void write_mapped_ids(const char *folder);    /* every location numbers its definitions in another way */
void write_rank_low_ids(const char *folder);  /* rank + thread << 32 */
void write_rank_high_ids(const char *folder); /* rank << 32 + thread */

/* Definitions: traps-definitions.c */
void write_duplicate_definitions(const char *folder); /* some equal, some different */
void write_late_definitions(const char *folder);      /* after the definitions that refer to them, or only in the
                                                       * local files */
void write_missing_definitions(const char *folder);
void write_region_per_process(const char *folder); /* one region with a different id for each process */
void write_wrong_counts(const char *folder);       /* wrong numbers of events in the locations' definitions */

/* Events: traps-calls.c */
void write_odd_calls(const char *folder);     /* never left, left twice, left but never entered, recursion */
void write_open_receives(const char *folder); /* requests that never complete */
void write_contexts(const char *folder);      /* calls with sites, and samples: traps-contexts.c */
void write_odd_contexts(const char *folder);  /* undefined contexts, circles of parents, left but never entered */
void write_samples_alone(const char *folder); /* samples, and calls of contexts without source locations */

/* Messages: traps-messages.c */
void write_requests(const char *folder);        /* each way to start and end a request */
void write_random_requests(const char *folder); /* random events on requests */

/* Files: traps-files.c */
void write_another_name(const char *folder);
void write_missing_events(const char *folder);   /* the archive lacks the file of location 1 */
void write_truncated_events(const char *folder); /* the file of location 1 has half of its bytes */
void write_no_events(const char *folder);        /* one location without events */

/*
 * Writes the events of a process in a ring. `n` times it calls `work` (region 0) and `exchange` (region 1), in which
 * it sends to the next process and receives from the one before. Each time has 6 events, 10 ticks apart. They need
 * communicator 0.
 */
void ring_events(Archive *archive, uint64_t location, uint32_t rank, uint32_t n_ranks, uint64_t start, unsigned n);
/* Writes the definitions of the ring except the clock: `n` processes of one location each. */
void ring_definitions(Archive *archive, const uint64_t *locations, uint32_t n);
