#include "tests/tree/traces/waits.h"

#include <criterion/criterion.h>

const char *const waits_regions[WAITS_REGIONS] = {"main", "MPI_Recv", "MPI_Allreduce", "MPI_Send"};
const char *const waits_contexts[WAITS_CONTEXTS] = {"main", "main/MPI_Recv", "main/MPI_Allreduce",
                                                    "main/MPI_Recv/main"};
static const XtfContextRow contexts[WAITS_CONTEXTS] = {{XTF_NONE32, 0}, {0, 1}, {0, 2}, {1, 0}};

static void define_tables(Writing *writing)
{
    for (unsigned i = 0; i < WAITS_REGIONS; i++)
        writing_define(writing, XTF_MODEL_REGIONS,
                       &(XtfRegionRow){.line = XTF_NONE32, .name = writing_string(writing, waits_regions[i])});
    for (uint32_t i = 0; i < WAITS_PROCS * WAITS_THREADS; i++)
        writing_define(writing, XTF_MODEL_LOCATIONS,
                       &(XtfLocationRow){.id = 10 + i, .proc = i / WAITS_THREADS, .thread = i % WAITS_THREADS});
    for (uint32_t i = 0; i < WAITS_COMMS; i++)
        writing_define(writing, XTF_MODEL_COMMUNICATORS,
                       &(XtfCommunicatorRow){.id = i, .group = XTF_NONE32, .remote_group = XTF_NONE32});
    for (unsigned i = 0; i < WAITS_CONTEXTS; i++)
        writing_define(writing, XTF_MODEL_CONTEXTS, &contexts[i]);
}

static uint32_t random_number(GRand *random, uint32_t n)
{
    return (uint32_t)g_rand_int_range(random, 0, (gint32)n);
}

/* Returns a random wait. Some waits begin where the one before them ended; some have length 0. */
static XtfWaitsRow random_wait(GRand *random, uint64_t after, uint64_t seq)
{
    uint64_t begin = after + (random_number(random, 4) ? random_number(random, 300) : 0),
             amount = random_number(random, 8) ? random_number(random, 200) : 0;
    XtfWaitsRow row = {.time = begin + amount, .seq = seq, .amount = amount, .match = XTF_NONE64, .cause = XTF_NONE64};

    row.region = random_number(random, 20) ? 1 + random_number(random, 2) : XTF_NONE32;
    row.event = (uint8_t)random_number(random, 4);
    row.indirect = amount ? random_number(random, (uint32_t)amount + 1) : 0;
    row.propagating = amount ? random_number(random, (uint32_t)amount + 1) : 0;
    row.part_kind = UINT8_MAX;
    row.culprit = random_number(random, 15) ? random_number(random, WAITS_PROCS) : XTF_NONE32;
    row.culprit_thread = row.culprit == XTF_NONE32 ? XTF_NONE32 : 0;
    row.context = 0;
    row.comm = random_number(random, 10) ? random_number(random, WAITS_COMMS) : XTF_NONE32;
    row.tag = random_number(random, 3) ? random_number(random, WAITS_TAGS) : XTF_NONE32;
    row.bytes = random_number(random, 1000);
    return row;
}

static void add_delay(Waits *waits, Writing *writing, uint32_t location, const XtfWaitsRow *wait)
{
    KnownDelay known = {.proc = location / WAITS_THREADS, .thread = location % WAITS_THREADS};

    uint32_t context = random_number(waits->random, WAITS_CONTEXTS + 1);

    known.row = (XtfDelaysRow){.time = wait->time, .seq = wait->seq, .event = wait->event};
    known.row.context = context < WAITS_CONTEXTS ? context : XTF_NONE32;
    known.row.region = context < WAITS_CONTEXTS ? contexts[context].region : XTF_NONE32;
    known.row.short_term = random_number(waits->random, 50);
    known.row.long_term = random_number(waits->random, 50);
    writing_append(writing, 10 + location, XTF_MODEL_DELAYS, &known.row);
    g_array_append_val(waits->delays, known);
}

static uint64_t add_location(Waits *waits, Writing *writing, uint32_t location, unsigned each)
{
    uint64_t t = 0, n = 0;

    for (uint64_t i = 0; i < each; i++) {
        KnownWait known = {.proc = location / WAITS_THREADS, .thread = location % WAITS_THREADS, .n = n++};
        known.row = random_wait(waits->random, t, i);
        t = known.row.time;
        writing_append(writing, 10 + location, XTF_MODEL_WAITS, &known.row);
        g_array_append_val(waits->waits, known);
        if (random_number(waits->random, 2))
            add_delay(waits, writing, location, &known.row);
    }
    return t;
}

Waits *waits_new(uint32_t seed, unsigned each)
{
    Waits *waits = g_new0(Waits, 1);
    Writing writing = {0};

    waits->random = g_rand_new_with_seed(seed);
    waits->waits = g_array_new(FALSE, FALSE, sizeof(KnownWait));
    waits->delays = g_array_new(FALSE, FALSE, sizeof(KnownDelay));
    writing_begin(&writing);
    define_tables(&writing);
    for (uint32_t location = 0; location < WAITS_PROCS * WAITS_THREADS - 1; location++) { /* the last has none */
        uint64_t last = add_location(waits, &writing, location, each / (1 + location % 3));
        waits->end = MAX(waits->end, last + 1);
    }
    for (uint32_t location = 0; location < WAITS_PROCS * WAITS_THREADS; location++) {
        const XtfEntersLeavesRow enter = {.time = 0, .seq = 0, .region = 0, .outermost = 1, .depth = 1},
                                 leave = {.time = waits->end - 1,
                                          .seq = 1,
                                          .event = 1,
                                          .enter = 1,
                                          .outermost = 1,
                                          .depth = 1};
        writing_append(&writing, 10 + location, XTF_MODEL_ENTERS_LEAVES, &enter);
        writing_append(&writing, 10 + location, XTF_MODEL_ENTERS_LEAVES, &leave);
    }
    writing_end(&writing, &waits->written);
    return waits;
}

void waits_free(Waits *waits)
{
    written_finish(&waits->written);
    g_array_unref(waits->waits);
    g_array_unref(waits->delays);
    g_rand_free(waits->random);
    g_free(waits);
}
