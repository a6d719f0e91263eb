/*
 * Short functions that write test archives with OTF2's own writer.
 *
 * OTF2 requires an order: events, then local definitions, then global ones. A function that writes to a later phase
 * ends the earlier ones. A call for an earlier phase is a mistake of the caller. Every error ends the program.
 */
#pragma once

#include <glib.h>
#include <otf2/otf2.h>
#include <stdint.h>

typedef struct Archive Archive;

/* Creates FOLDER/`name`.otf2, .def, and the folder FOLDER/`name`. */
Archive *archive_new(const char *folder, const char *name);
void archive_close(Archive *archive);

OTF2_EvtWriter *archive_events(Archive *archive, uint64_t location);
OTF2_DefWriter *archive_local(Archive *archive, uint64_t location);
OTF2_GlobalDefWriter *archive_global(Archive *archive);

/* Returns the id of a global string. Defines the string at the first call, or later if the archive is still in an
 * earlier phase. */
OTF2_StringRef archive_string(Archive *archive, const char *text);

/* Writes global definitions of common shapes. */
void archive_clock(Archive *archive, uint64_t ticks_per_second, uint64_t offset, uint64_t length);
/* Writes a machine, system tree node 0, with `n` processes, location groups 0 to n - 1. */
void archive_processes(Archive *archive, uint32_t n);
void archive_location(Archive *archive, uint64_t id, uint32_t process, const char *name);
void archive_region(Archive *archive, uint32_t id, const char *name, const char *file, uint32_t line);
/* Writes a communicator and its group, both with the same id, of ranks 0 to n - 1. Group `id` + 1 lists their
 * locations. */
void archive_world(Archive *archive, uint32_t id, const uint64_t *locations, uint32_t n);

/* Returns the number of events of a location. */
uint64_t archive_n_events(Archive *archive, uint64_t location);

#define WRITE(call) archive_expect((call), #call)
void archive_expect(OTF2_ErrorCode status, const char *operation);
