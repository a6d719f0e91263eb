/* An archive of OTF1 that OTF's own library writes, with all kinds of definitions and records. */
#pragma once

#include <open-trace-format/otf.h>
#include <stdint.h>

enum {
    N_RANKS = 3,
    N_PROCESSES = 6, /* the ranks, two threads of the first, and one thread of a thread */
    N_FUNCTIONS = 6,
    N_COUNTERS = 9,
    N_FILES = 3,
    N_COLLECTIVES = 6,
    /* Groups. */
    WORLD = 100,
    PART,
    TEAM,
};

typedef struct {
    OTF_Writer *writer;
    OTF_KeyValueList *list;
    uint64_t seed;
    uint64_t time; /* of the last event: the library refuses earlier ones */
} Archive;

/* Returns a pseudo-random number below n. */
uint64_t archive_random(Archive *archive, uint64_t n);

void archive_write_definitions(Archive *archive);
/* Writes n events of random kinds, and some snapshots, summaries and markers. */
void archive_write_events(Archive *archive, unsigned n);
void archive_write_extras(Archive *archive);
