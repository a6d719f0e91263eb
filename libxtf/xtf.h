/*
 * libxtf: the eXtended Trace Format, a paged container with B+tree indexes for traces of parallel programs.
 *
 * To read, start with trace.h and records.h (many arrays) or array.h (one array). To write, start with writer.h.
 * docs/FORMAT.md describes the file byte by byte.
 *
 * The library's soname is 0, and the interface is not stable: until version 1.0 functions and structs may change. Value
 * structs, such as XtfArray and XtfCursor, have members that their comments call private; do not use these.
 */
#pragma once

#include "libxtf/aggregates.h"
#include "libxtf/array.h"
#include "libxtf/check.h"
#include "libxtf/clock-map.h"
#include "libxtf/error.h"
#include "libxtf/frame-finder.h"
#include "libxtf/frame-reader.h"
#include "libxtf/group-filter.h"
#include "libxtf/handles.h"
#include "libxtf/longest.h"
#include "libxtf/merge.h"
#include "libxtf/records.h"
#include "libxtf/references.h"
#include "libxtf/runs.h"
#include "libxtf/schema.h"
#include "libxtf/slices.h"
#include "libxtf/source.h"
#include "libxtf/spans.h"
#include "libxtf/sweep.h"
#include "libxtf/trace.h"
#include "libxtf/transfer.h"
#include "libxtf/vocabulary.h"
#include "libxtf/writer.h"
