/*
 * Groups of processes that behave alike.
 *
 * In the order of processes, each joins the first group whose first process is at most `threshold` away, or begins a
 * group. The threshold is the least of 5, 10, 20, 40, 80 and 100 % that makes at most XTF_PROCESS_GROUPS_MAX groups.
 * (J. Hartigan: Clustering algorithms, 1975, chapter 3: the leader algorithm.)
 */
#pragma once

#include "src/tables/alike/process-profiles.h"

enum { XTF_PROCESS_GROUPS_MAX = 16 };

typedef struct {
    uint32_t first;  /* index of its first process */
    uint32_t n;      /* processes */
    double distance; /* greatest distance of a process from the first */
} XtfProcessGroup;

typedef struct {
    double threshold;
    unsigned n;
    XtfProcessGroup all[XTF_PROCESS_GROUPS_MAX]; /* the largest first, then by first process */
    uint8_t *of;                                 /* by index of a process: its group in `all` */
} XtfProcessGroups;

void xtf_process_groups_find(XtfProcessGroups *groups, const XtfProcessProfiles *profiles);
void xtf_process_groups_finish(XtfProcessGroups *groups); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfProcessGroups, xtf_process_groups_finish)
