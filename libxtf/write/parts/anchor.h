/*
 * Writing an anchor of runs: a file whose arrays are joined from arrays of other files, its parts. The parts stay where
 * they are, and the anchor names them.
 */
#pragma once

#include "libxtf/trace.h"
#include "libxtf/writer.h"

/* Numbers of a part in an anchor. */
typedef struct {
    uint32_t first_segment; /* number of the part's first segment */
    uint32_t strings;       /* beginning of its heap in the anchor's */
} XtfAnchorPart;

/* Makes a new writer's file an anchor. Nothing may have been added to it before. */
void xtf_writer_begin_anchor(XtfWriter *writer);
/* Names a part with all of its volumes. `path` leads to the part, which must lie in the anchor's folder. All parts must
 * be added before the first schema or string. XTF_ERROR_INVALID if the file cannot be a part. */
bool xtf_writer_add_part(XtfWriter *writer, XtfTrace *trace, const char *path, XtfAnchorPart *part, GError **error);
/* Maps the rows of a part's table to rows of the writer's table `schema`. */
bool xtf_writer_map_part_table(XtfWriter *writer, XtfTrace *trace, const XtfAnchorPart *part, uint32_t table,
                               uint32_t schema, const uint32_t *rows, uint32_t n, GError **error);
