#include "synthetic.h"

#include "bench.h"
#include "libxtf/xtf.h"
#include "src/model/schemas.h"

enum { LOCATIONS = 8 };

typedef struct {
    XtfArrayWriter *calls, *sends;
    uint64_t random, time, seq;
} Location;

/* Appends a call, in half of the cases with a message inside: 2 or 3 records. Most calls are short, some are long,
 * and some take no time. */
static uint64_t append_call(Location *location, GError **error)
{
    uint64_t draw = bench_random(&location->random), n_before = location->seq;
    uint32_t region = draw % 23;
    uint64_t step = draw & 0x700 ? draw >> 40 & 0x3ff : draw >> 40 & 0xfffff;
    XtfEntersLeavesRow call = {
        .time = location->time += step, .seq = location->seq++, .region = region, .outermost = 1, .depth = 1};
    bool good = xtf_array_writer_append(location->calls, &call, error);

    if (draw >> 12 & 1) {
        XtfSendsRow send = {
            .time = location->time += step / 2, .seq = location->seq++, .region = region, .bytes = step};
        good = good && xtf_array_writer_append(location->sends, &send, error);
    }
    call.time = location->time += step / 3;
    call.seq = location->seq++;
    call.event = call.enter = 1;
    good = good && xtf_array_writer_append(location->calls, &call, error);
    bench_check(good, *error, "append");
    return location->seq - n_before;
}

void bench_write_synthetic(const char *path, uint64_t records, uint32_t page_size)
{
    g_autoptr(GError) error = NULL;
    XtfWriter *writer = xtf_writer_create(path, &(XtfWriterOptions){.page_size = page_size, .no_sync = true}, &error);
    bench_check(writer, error, "%s", path);
    const XtfSchema *calls = xtf_model_schema(XTF_MODEL_ENTERS_LEAVES), *sends = xtf_model_schema(XTF_MODEL_SENDS);
    Location locations[LOCATIONS];
    uint32_t calls_id, sends_id;

    bench_check(xtf_writer_add_schema(writer, calls, &calls_id, &error) &&
                    xtf_writer_add_schema(writer, sends, &sends_id, &error),
                error, "%s", path);
    for (uint64_t i = 0; i < LOCATIONS; i++) {
        locations[i] = (Location){.calls = xtf_writer_array(writer, i, calls_id, &error), .random = i};
        locations[i].sends = locations[i].calls ? xtf_writer_array(writer, i, sends_id, &error) : NULL;
        bench_check(locations[i].sends, error, "%s", path);
    }
    for (uint64_t n = 0, i = 0; n < records; i++)
        n += append_call(&locations[i % LOCATIONS], &error);
    bench_check(xtf_writer_close(writer, &error), error, "%s", path);
}
