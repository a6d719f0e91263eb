/*
 * A preempted reading makes a clock wrong by tens of millionths, by another amount in each process. So the first
 * collector of a job on a node measures, and writes the clock to FOLDER/clock-HOST. All other collectors read that
 * file. If the file cannot be created, each collector measures. Each point is the tightest of READINGS.
 */
#include "src/record/collect/calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "src/record/job-folder.h"
#include "src/record/job.h"
#include "src/record/nanoseconds.h"

enum {
    READINGS = 32,
    CALIBRATION_NS = 20 * 1000 * 1000,
    LOCK_TIMEOUT_NS = 2000 * 1000 * 1000, /* how long to wait for the collector that measures */
    RETRY_NS = 1000 * 1000,
    SHIFT = 40,
};

/* Content of the file. */
typedef struct {
    uint64_t magic;
    XtfCollectClock clock;
} StoredClock;

static void sleep_ns(uint64_t ns)
{
    const struct timespec time = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

    nanosleep(&time, NULL);
}

/* Reads `clock` between two readings of the traced process's clock, READINGS times, and returns the tightest point. */
static XtfCollectPoint read_point(const XtfCollectCalibration *calibration, clockid_t clock)
{
    const XtfCollectClock reader = {.source = calibration->source};
    XtfCollectPoint best = {0};
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < READINGS; i++) {
        uint64_t before = xtf_collect_clock_now(&reader), ns = xtf_clock_ns(clock),
                 after = xtf_collect_clock_now(&reader);
        if (after - before >= least)
            continue;
        least = after - before;
        best = (XtfCollectPoint){before + least / 2, ns};
    }
    return best;
}

bool xtf_collect_calibration_init(XtfCollectCalibration *calibration, uint32_t source, int folder, const char *host,
                                  GError **error)
{
    const XtfCollectClock any = {.source = source, .multiplier = 1};

    *calibration = (XtfCollectCalibration){.file = -1};
    if (!xtf_collect_clock_check(&any, error))
        return false;
    calibration->source = source;
    calibration->folder = folder;
    calibration->name = g_strdelimit(g_strconcat(XTF_JOB_CLOCK, host, NULL), "/", '_');
    return true;
}

void xtf_collect_calibration_finish(XtfCollectCalibration *calibration)
{
    if (calibration->file >= 0)
        close(calibration->file);
    calibration->file = -1;
    g_clear_pointer(&calibration->name, g_free);
}

/* Reads the clock from the file. Returns false if the file has none that was measured since the machine started. */
static bool read_kept_clock(XtfCollectCalibration *calibration)
{
    StoredClock kept;

    if (pread(calibration->file, &kept, sizeof kept, 0) != sizeof kept || kept.magic != XTF_WIRE_MAGIC ||
        kept.clock.source != calibration->source || !xtf_collect_clock_check(&kept.clock, NULL) ||
        kept.clock.start > xtf_collect_clock_now(&kept.clock))
        return false;
    calibration->clock = kept.clock;
    return true;
}

/* Locks the file. Returns false while another collector holds the lock, at most LOCK_TIMEOUT_NS. Returns true
 * without a file if it cannot be opened or locked. */
static bool try_lock(XtfCollectCalibration *calibration)
{
    if (calibration->file < 0)
        calibration->file = xtf_job_file_open(calibration->folder, calibration->name, O_RDWR | O_CREAT);
    if (calibration->file < 0 || flock(calibration->file, LOCK_EX | LOCK_NB) == 0)
        return true;
    bool held = errno == EWOULDBLOCK || errno == EINTR;
    if (calibration->since == 0)
        calibration->since = xtf_monotonic_ns();
    if (held && xtf_monotonic_ns() - calibration->since < LOCK_TIMEOUT_NS)
        return false;
    close(calibration->file); /* only the holder of the lock may write the file */
    calibration->file = -1;
    return true;
}

static void finish_calibration(XtfCollectCalibration *calibration)
{
    calibration->known = true;
    if (calibration->file >= 0)
        close(calibration->file);
    calibration->file = -1;
}

static void write_clock(XtfCollectCalibration *calibration)
{
    const StoredClock kept = {XTF_WIRE_MAGIC, calibration->clock};

    if (calibration->file >= 0 && pwrite(calibration->file, &kept, sizeof kept, 0) != sizeof kept)
        g_warning("cannot keep the clock of this node in %s: %s", calibration->name, g_strerror(errno));
    finish_calibration(calibration);
}

static void begin_measuring(XtfCollectCalibration *calibration)
{
    calibration->real = read_point(calibration, CLOCK_REALTIME);
    if (calibration->source == XTF_WIRE_CLOCK_MONOTONIC) {
        calibration->clock = (XtfCollectClock){calibration->source, 0, .start = calibration->real.ticks,
                                               .base = calibration->real.ns, .multiplier = 1};
        write_clock(calibration);
        return;
    }
    calibration->begin = read_point(calibration, CLOCK_MONOTONIC);
    calibration->measuring = true;
}

static void end_measuring(XtfCollectCalibration *calibration)
{
    XtfCollectPoint first = calibration->begin, last = read_point(calibration, CLOCK_MONOTONIC);
    unsigned __int128 ns = last.ns - first.ns;

    calibration->clock = (XtfCollectClock){.source = calibration->source,
                                           .shift = SHIFT,
                                           .start = calibration->real.ticks,
                                           .base = calibration->real.ns,
                                           .multiplier = (uint64_t)((ns << SHIFT) / (last.ticks - first.ticks))};
    write_clock(calibration);
}

/* Does the next step. Returns the nanoseconds until the following step; 0 if the clock is known. */
static uint64_t next_step(XtfCollectCalibration *calibration)
{
    if (!calibration->measuring) {
        if (!try_lock(calibration))
            return RETRY_NS;
        if (calibration->file >= 0 && read_kept_clock(calibration))
            finish_calibration(calibration);
        else
            begin_measuring(calibration);
        return calibration->known ? 0 : CALIBRATION_NS;
    }
    uint64_t passed = xtf_monotonic_ns() - calibration->begin.ns;
    if (passed < CALIBRATION_NS)
        return CALIBRATION_NS - passed;
    end_measuring(calibration);
    return 0;
}

bool xtf_collect_calibrate(XtfCollectCalibration *calibration, bool wait, XtfCollectClock *clock)
{
    uint64_t ns;

    while (!calibration->known && (ns = next_step(calibration)) > 0 && wait)
        sleep_ns(ns);
    if (calibration->known)
        *clock = calibration->clock;
    return calibration->known;
}
