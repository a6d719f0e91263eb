/*
 * Writes a made-up trace of a test, line by line:
 *
 *     make-run FILE PROCESSES REGION... <EVENTS
 *
 * Each line is an event, `PROC TIME WHAT ...`. The lines of a process are together, in order of time (ticks of 1
 * ns). `0 10 enter 2` and `0 90 leave 2` have the number of a region; messages are `0 20 send PEER BYTES` and `1 30
 * recv PEER BYTES`.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/import/messages.h"
#include "tests/bench/bench.h"
#include "tests/bench/made-up.h"

typedef struct {
    uint64_t proc, time, number, bytes;
    char kind[8];
} Event;

static void add_event(XtfStream *stream, const Event *event)
{
    const uint32_t region = xtf_stream_region(stream);

    if (strcmp(event->kind, "enter") == 0) {
        xtf_stream_enter(stream, event->time, (uint32_t)event->number);
    } else if (strcmp(event->kind, "leave") == 0) {
        xtf_stream_leave(stream, event->time, (uint32_t)event->number);
    } else if (strcmp(event->kind, "send") == 0) {
        XtfSendsRow row = {
            .region = region, .peer = (uint32_t)event->number, .bytes = event->bytes, .request = XTF_NONE64};
        xtf_stream_send(stream, event->time, &row);
    } else if (strcmp(event->kind, "recv") == 0) {
        XtfRecvsRow row = {
            .region = region, .peer = (uint32_t)event->number, .bytes = event->bytes, .request = XTF_NONE64};
        xtf_stream_recv(stream, event->time, &row);
    } else {
        bench_fail(NULL, "no event is called '%s'", event->kind);
    }
}

static void end_process(XtfStream *stream, const char *path)
{
    g_autoptr(GError) error = NULL;
    bench_check(xtf_stream_end(stream, &error), error, "%s", path);
}

static void add_events(const BenchRun *run, FILE *file)
{
    uint64_t proc = UINT64_MAX;
    char line[128];
    XtfStream stream;

    xtf_stream_init(&stream, run->writer, NULL, run->schemas);
    while (fgets(line, sizeof line, file)) {
        Event event = {0};
        int n = sscanf(line, "%" SCNu64 " %" SCNu64 " %7s %" SCNu64 " %" SCNu64, &event.proc, &event.time, event.kind,
                       &event.number, &event.bytes);
        bench_check(n >= 4, NULL, "'%s' is no event", line);
        if (event.proc != proc) {
            if (proc != UINT64_MAX)
                end_process(&stream, run->path);
            xtf_stream_begin(&stream, event.proc);
            proc = event.proc;
        }
        add_event(&stream, &event);
    }
    if (proc != UINT64_MAX)
        end_process(&stream, run->path);
    xtf_stream_finish(&stream);
}

int main(int argc, char **argv)
{
    const XtfWriterOptions options = {.origin = UINT64_MAX, .no_sync = true};
    BenchRun run;

    bench_check(argc >= 3, NULL, "usage: make-run FILE PROCESSES REGION...");
    bench_run_begin(&run, argv[1], &options);
    bench_run_define(&run, strtoull(argv[2], NULL, 10), (const char *const *)argv + 3, (uint64_t)argc - 3);
    add_events(&run, stdin);
    bench_run_end(&run);
    return 0;
}
