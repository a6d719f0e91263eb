/* The row of OTF1 in the table of importers, which needs no part of OTF's library. */
#pragma once

#include "src/import/importer.h"

extern const XtfImporter xtf_otf1_importer;

/* Events of OTF1 that the model lacks: their labels follow the model's. */
enum { XTF_OTF1_FILE_RENAME = XTF_N_IO_CONTROL_EVENTS, XTF_OTF1_FILE_OTHER };
enum { XTF_OTF1_BEGIN_PROCESS = XTF_N_THREADS_EVENTS, XTF_OTF1_END_PROCESS };
enum { XTF_OTF1_NOOP = XTF_N_UNKNOWN_EVENTS };
enum { XTF_OTF1_RMA_PUT_REMOTE_END = XTF_N_RMA_OPERATIONS_EVENTS };
enum { XTF_OTF1_COMMENT = XTF_N_MARKERS_EVENTS };

/* Imports an archive: the member `run` of the importer. */
bool xtf_otf1_import(XtfImportJob *job, GError **error);
