/*
 * Calibration of a traced process's clock. All collectors of a job on a node use the same result, so that times agree.
 *
 * The clock is measured between two points at least CALIBRATION_NS apart. Until the second point the traced process
 * runs, and its collector keeps the records of its rings.
 */
#pragma once

#include "src/record/collect/rows/clock.h"

typedef struct {
    uint64_t ticks, ns;
} XtfCollectPoint;

typedef struct {
    XtfWireClockSource source;
    int folder;            /* borrowed */
    char *name;            /* name of the file with this node's clock, which the measuring collector locks */
    int file;              /* descriptor of the file; -1: not open */
    bool measuring, known; /* known: calibration is done */
    uint64_t since;        /* first attempt to lock, ns of CLOCK_MONOTONIC */
    XtfCollectPoint real, begin;
    XtfCollectClock clock; /* valid if known */
} XtfCollectCalibration;

/* Initialises the calibration of the clock `source` on node `host`. `folder` is a descriptor of the folder that holds
 * clock-HOST. XTF_ERROR_DAMAGED if this machine has no such clock; the caller must call
 * xtf_collect_calibration_finish() even then. */
bool xtf_collect_calibration_init(XtfCollectCalibration *calibration, uint32_t source, int folder, const char *host,
                                  GError **error);
void xtf_collect_calibration_finish(XtfCollectCalibration *calibration);

/* Does one step. Stores the clock and returns true if it is known. With `wait`, sleeps until the clock is known. */
bool xtf_collect_calibrate(XtfCollectCalibration *calibration, bool wait, XtfCollectClock *clock);
