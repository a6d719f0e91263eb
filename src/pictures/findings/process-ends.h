/* How the processes of a selection ended: as their properties, and their threads' last calls, say. */
#pragma once

#include "src/model/process-properties.h"
#include "src/pictures/findings/finding-rule.h"

#define XTF_END_NO_REGION UINT64_MAX
#define XTF_END_NO_PROC   UINT64_MAX

typedef struct {
    uint64_t proc;
    XtfEndKind how;
    int64_t number;            /* of the signal; the status */
    uint32_t threads, pending; /* threads of the program, and those of them that ended in a call of MPI */
    uint64_t since;            /* of the first of these, which stands for the process: when it entered the call... */
    uint64_t peer;             /* ...and the process that all of them waited for; XTF_END_NO_PROC: any, or several */
    uint64_t comm, tag;        /* ...those of its call; XTF_END_NO_PROC: it has none, or any */
    uint64_t region;           /* ...the row of the call, or of the region that it ended in; XTF_END_NO_REGION: none */
    bool elsewhere;            /* another thread ended in another region */
} XtfProcessEnd;

typedef struct {
    const XtfFindingJob *job;
    XtfProcessEnd *ends; /* by process */
    uint32_t n;
    const XtfTable *regions;  /* NULL: there is none */
    const XtfSchema *pending; /* NULL: no process ended in a call of MPI */
} XtfProcessEnds;

/* Reads how all processes ended. *any: one was killed, or ended in a call of MPI; else no threads are looked at. */
bool xtf_process_ends_init(XtfProcessEnds *ends, const XtfFindingJob *job, bool *any, GError **error);
void xtf_process_ends_finish(XtfProcessEnds *ends); /* all zeros is fine */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfProcessEnds, xtf_process_ends_finish)

/* NULL: the process is not selected. */
XtfProcessEnd *xtf_process_end_find(const XtfProcessEnds *ends, uint64_t proc);
/* The name of a region, as sentences have it; the caller frees it. */
char *xtf_process_end_region(const XtfProcessEnds *ends, uint64_t region, GError **error);
