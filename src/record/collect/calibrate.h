/*
 * What a tick of a traced process's clock is: all collectors of a job on a node find the same, so that times agree.
 *
 * It is measured between two points, CALIBRATION_NS apart at least. Nobody waits for the second point who has something
 * else to do: the traced process runs all the while, and its collector keeps what its rings hold.
 */
#pragma once

#include "src/record/collect/rows/clock.h"

typedef struct {
    uint64_t ticks, ns;
} XtfCollectPoint;

typedef struct {
    XtfWireClockSource source;
    int folder;            /* borrowed */
    char *name;            /* of the file that keeps the clock of this node, and is locked by who measures */
    int file;              /* -1: not open */
    bool measuring, known; /* known: nothing more is to be done */
    uint64_t since;        /* when the lock was first asked for, ns of CLOCK_MONOTONIC */
    XtfCollectPoint real, begin;
    XtfCollectClock clock; /* once it is known */
} XtfCollectCalibration;

/* Of the clock of that source on the node `host`, kept in the file clock-HOST of the folder, a descriptor.
 * XTF_ERROR_DAMAGED if this machine has no such clock. To be finished also then. */
bool xtf_collect_calibration_init(XtfCollectCalibration *calibration, uint32_t source, int folder, const char *host,
                                  GError **error);
void xtf_collect_calibration_finish(XtfCollectCalibration *calibration);

/* One step: the clock, or false if it is not known yet. With `wait` it is known. */
bool xtf_collect_calibrate(XtfCollectCalibration *calibration, bool wait, XtfCollectClock *clock);
