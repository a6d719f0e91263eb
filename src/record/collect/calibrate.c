/*
 * A preempted reading spoils a clock by tens of millionths, and differently in each process; so the first collector of
 * a job on a node measures, and all others read what it found, in FOLDER/clock-HOST. Where there can be no such file,
 * each measures for itself. A point is the tightest of READINGS.
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
    PATIENCE_NS = 2000 * 1000 * 1000, /* for who measures */
    STEP_NS = 1000 * 1000,
    SHIFT = 40,
};

/* What the file holds. */
typedef struct {
    uint64_t magic;
    XtfCollectClock clock;
} Kept;

static void rest(uint64_t ns)
{
    const struct timespec time = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

    nanosleep(&time, NULL);
}

/* `clock` at a reading of the traced process's clock: the tightest. */
static XtfCollectPoint see(const XtfCollectCalibration *calibration, clockid_t clock)
{
    const XtfCollectClock ours = {.source = calibration->source};
    XtfCollectPoint best = {0};
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < READINGS; i++) {
        uint64_t before = xtf_collect_clock_now(&ours), ns = xtf_clock_ns(clock), after = xtf_collect_clock_now(&ours);
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

/* Takes the file's clock, if it has one of this start of the machine. */
static bool take_kept(XtfCollectCalibration *calibration)
{
    Kept kept;

    if (pread(calibration->file, &kept, sizeof kept, 0) != sizeof kept || kept.magic != XTF_WIRE_MAGIC ||
        kept.clock.source != calibration->source || !xtf_collect_clock_check(&kept.clock, NULL) ||
        kept.clock.start > xtf_collect_clock_now(&kept.clock))
        return false;
    calibration->clock = kept.clock;
    return true;
}

/* Locks the file, if it can be had. False: another collector measures. */
static bool lock(XtfCollectCalibration *calibration)
{
    if (calibration->file < 0)
        calibration->file = xtf_job_file_open(calibration->folder, calibration->name, O_RDWR | O_CREAT);
    if (calibration->file < 0 || flock(calibration->file, LOCK_EX | LOCK_NB) == 0)
        return true;
    bool held = errno == EWOULDBLOCK || errno == EINTR;
    if (calibration->since == 0)
        calibration->since = xtf_monotonic_ns();
    if (held && xtf_monotonic_ns() - calibration->since < PATIENCE_NS)
        return false;
    close(calibration->file); /* without the lock the file is not ours to write */
    calibration->file = -1;
    return true;
}

static void settle(XtfCollectCalibration *calibration)
{
    calibration->known = true;
    if (calibration->file >= 0)
        close(calibration->file);
    calibration->file = -1;
}

static void keep(XtfCollectCalibration *calibration)
{
    const Kept kept = {XTF_WIRE_MAGIC, calibration->clock};

    if (calibration->file >= 0 && pwrite(calibration->file, &kept, sizeof kept, 0) != sizeof kept)
        g_warning("cannot keep the clock of this node in %s: %s", calibration->name, g_strerror(errno));
    settle(calibration);
}

static void begin(XtfCollectCalibration *calibration)
{
    calibration->real = see(calibration, CLOCK_REALTIME);
    if (calibration->source == XTF_WIRE_CLOCK_MONOTONIC) {
        calibration->clock = (XtfCollectClock){calibration->source, 0, .start = calibration->real.ticks,
                                               .base = calibration->real.ns, .multiplier = 1};
        keep(calibration);
        return;
    }
    calibration->begin = see(calibration, CLOCK_MONOTONIC);
    calibration->measuring = true;
}

static void end(XtfCollectCalibration *calibration)
{
    XtfCollectPoint first = calibration->begin, last = see(calibration, CLOCK_MONOTONIC);
    unsigned __int128 ns = last.ns - first.ns;

    calibration->clock = (XtfCollectClock){.source = calibration->source,
                                           .shift = SHIFT,
                                           .start = calibration->real.ticks,
                                           .base = calibration->real.ns,
                                           .multiplier = (uint64_t)((ns << SHIFT) / (last.ticks - first.ticks))};
    keep(calibration);
}

/* How long to wait before the next step; 0: none is to come. */
static uint64_t step(XtfCollectCalibration *calibration)
{
    if (!calibration->measuring) {
        if (!lock(calibration))
            return STEP_NS;
        if (calibration->file >= 0 && take_kept(calibration))
            settle(calibration);
        else
            begin(calibration);
        return calibration->known ? 0 : CALIBRATION_NS;
    }
    uint64_t passed = xtf_monotonic_ns() - calibration->begin.ns;
    if (passed < CALIBRATION_NS)
        return CALIBRATION_NS - passed;
    end(calibration);
    return 0;
}

bool xtf_collect_calibrate(XtfCollectCalibration *calibration, bool wait, XtfCollectClock *clock)
{
    uint64_t ns;

    while (!calibration->known && (ns = step(calibration)) > 0 && wait)
        rest(ns);
    if (calibration->known)
        *clock = calibration->clock;
    return calibration->known;
}
