#include <math.h>

#include "sums.h"

enum { UNSIGNED, SIGNED, REAL, UNUSED, N_METRICS };
enum { N_PROCS = 2 };

static uint64_t random_unsigned(Dice *random)
{
    static const uint64_t values[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63};
    uint32_t i = dice(random, 50);
    return i < G_N_ELEMENTS(values) ? values[i] : dice(random, 1000);
}

static int64_t random_signed(Dice *random)
{
    static const int64_t values[] = {0, -1, INT64_MIN, INT64_MAX, INT64_MIN + 1};
    uint32_t i = dice(random, 50);
    return i < G_N_ELEMENTS(values) ? values[i] : (int64_t)dice(random, 1000) - 500;
}

/* Returns a multiple of 1/4 or an extreme value: otf2-print shows six digits. */
static double random_real(Dice *random)
{
    static const double values[] = {0.0, -0.0, 1e300, -1e300, 1e-300, NAN, NAN, INFINITY, -INFINITY};
    uint32_t i = dice(random, 200);
    return i < G_N_ELEMENTS(values) ? values[i] : ((double)dice(random, 4000) - 2000) / 4;
}

/* Writes the values of the metrics. Process 1 has only large or only negative values, so that neither its minimum
 * nor its maximum can be 0 by accident. */
static void write_metrics(OTF2_EvtWriter *writer, uint64_t time, uint64_t location, Dice *random)
{
    static const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE};
    OTF2_MetricValue values[] = {
        {.unsigned_int = location ? 1000 + dice(random, 1000) : random_unsigned(random)},
        {.signed_int = location ? -1000 - (int64_t)dice(random, 1000) : random_signed(random)},
        {.floating_point = location ? -1000.25 - dice(random, 1000) : random_real(random)},
    };
    WRITE(OTF2_EvtWriter_Metric(writer, NULL, time, 0, G_N_ELEMENTS(types), types, values));
}

static void define_metrics(Archive *archive)
{
    static const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE, OTF2_TYPE_UINT64};
    static const char *const names[] = {"unsigned", "signed", "same name", "same name"};
    static const OTF2_MetricMemberRef members[] = {UNSIGNED, SIGNED, REAL};

    for (uint32_t i = 0; i < N_METRICS; i++)
        WRITE(OTF2_GlobalDefWriter_WriteMetricMember(archive_global(archive), i, archive_string(archive, names[i]),
                                                     archive_string(archive, ""), OTF2_METRIC_TYPE_OTHER,
                                                     OTF2_METRIC_ABSOLUTE_POINT, types[i], OTF2_BASE_DECIMAL, 0,
                                                     archive_string(archive, "")));
    WRITE(OTF2_GlobalDefWriter_WriteMetricClass(archive_global(archive), 0, G_N_ELEMENTS(members), members,
                                                OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
}

void write_sums_metrics(const char *folder)
{
    Archive *archive = archive_new(folder, "sums-metrics");
    Dice random = {1};

    for (uint64_t location = 0; location < N_PROCS; location++) {
        OTF2_EvtWriter *writer = archive_events(archive, location);
        for (uint64_t time = 100, i = 0; i < 3000; i++, time += 1 + dice(&random, 5)) {
            WRITE(OTF2_EvtWriter_Enter(writer, NULL, time, 0));
            write_metrics(writer, time, location, &random);
            WRITE(OTF2_EvtWriter_Leave(writer, NULL, time + i % 2, 0));
        }
    }
    archive_clock(archive, 1000000, 100, 20000);
    sums_places(archive, N_PROCS, 1);
    archive_region(archive, 0, "measured", "metrics.c", 1);
    define_metrics(archive);
    archive_close(archive);
}

/* ---- Counters that grow. */

enum { COUNTED, SECONDS, ADDED, LEVEL, BALANCE, N_GROWING, N_SERIES = 3 };

typedef struct {
    uint64_t counted;
    double seconds;
    int64_t balance;
} Series;

/* Writes the values of one series, which is instance `series` of the class. Sometimes a counter restarts. */
static void write_growing_metrics(OTF2_EvtWriter *writer, uint64_t time, uint32_t series, Series *all, Dice *random)
{
    static const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64,
                                      OTF2_TYPE_INT64};
    Series *s = &all[series];

    s->counted += dice(random, 100000);
    if (dice(random, 500) == 0)
        s->counted = dice(random, 10);
    s->seconds = dice(random, 300) ? s->seconds + dice(random, 8) / 4.0 : 0; /* few digits: otf2-print shows six */
    s->balance += (int64_t)dice(random, 1000) - 600;
    OTF2_MetricValue values[] = {
        {.unsigned_int = s->counted},       {.floating_point = s->seconds}, {.unsigned_int = dice(random, 50)},
        {.unsigned_int = dice(random, 50)}, {.signed_int = s->balance},
    };
    WRITE(OTF2_EvtWriter_Metric(writer, NULL, time, series, N_GROWING, types, values));
}

static void define_growing(Archive *archive)
{
    static const OTF2_MetricMode modes[] = {OTF2_METRIC_ACCUMULATED_START, OTF2_METRIC_ACCUMULATED_POINT,
                                            OTF2_METRIC_RELATIVE_LAST, OTF2_METRIC_ABSOLUTE_POINT,
                                            OTF2_METRIC_ACCUMULATED_LAST};
    static const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE, OTF2_TYPE_UINT64, OTF2_TYPE_UINT64,
                                      OTF2_TYPE_INT64};
    static const char *const names[] = {"counted", "seconds", "added", "level", "a balance"};
    static const OTF2_MetricMemberRef members[] = {COUNTED, SECONDS, ADDED, LEVEL, BALANCE};

    for (uint32_t i = 0; i < N_GROWING; i++)
        WRITE(OTF2_GlobalDefWriter_WriteMetricMember(archive_global(archive), i, archive_string(archive, names[i]),
                                                     archive_string(archive, ""), OTF2_METRIC_TYPE_OTHER, modes[i],
                                                     types[i], OTF2_BASE_DECIMAL, 0, archive_string(archive, "")));
    WRITE(OTF2_GlobalDefWriter_WriteMetricClass(archive_global(archive), 0, N_GROWING, members, OTF2_METRIC_SYNCHRONOUS,
                                                OTF2_RECORDER_KIND_CPU));
    for (uint32_t i = 1; i < N_SERIES; i++)
        WRITE(
            OTF2_GlobalDefWriter_WriteMetricInstance(archive_global(archive), i, 0, i % 2, OTF2_SCOPE_LOCATION, i % 2));
}

/* Writes values of counters in nested calls: before or after the ENTER or LEAVE of the same time, or at their own
 * time. */
void write_sums_growth(const char *folder)
{
    enum { N_REGIONS = 4, DEEPEST = 6 };
    Archive *archive = archive_new(folder, "sums-growth");
    Dice random = {5};
    uint64_t last = 0;

    for (uint64_t location = 0; location < N_PROCS; location++) {
        OTF2_EvtWriter *writer = archive_events(archive, location);
        uint32_t stack[DEEPEST], depth = 0, moment;
        Series series[N_SERIES] = {{0}};
        uint64_t time = 100;
        for (unsigned i = 0; i < 2500; i++, time += dice(&random, 4)) {
            uint32_t which = i % 10 ? 0 : dice(&random, N_SERIES);
            moment = dice(&random, 4);
            if (moment == 0)
                write_growing_metrics(writer, time, which, series, &random);
            if (depth == 0 || (depth < DEEPEST && dice(&random, 2))) {
                stack[depth] = dice(&random, N_REGIONS);
                WRITE(OTF2_EvtWriter_Enter(writer, NULL, time, stack[depth++]));
            } else {
                WRITE(OTF2_EvtWriter_Leave(writer, NULL, time, stack[--depth]));
            }
            if (moment >= 2)
                write_growing_metrics(writer, time += moment - 2, which, series, &random);
        }
        last = MAX(last, time);
    }
    archive_clock(archive, 1000000, 100, last);
    sums_places(archive, N_PROCS, 1);
    for (uint32_t i = 0; i < N_REGIONS; i++)
        archive_region(archive, i, i ? "of some name" : "first", "growth.c", i + 1);
    define_growing(archive);
    archive_close(archive);
}
