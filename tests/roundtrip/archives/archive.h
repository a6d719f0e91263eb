/*
 * Writing test archives with OTF2's own writer, in few words.
 *
 * An archive is written in the order that OTF2 wants: events, then local definitions, then global ones. The archive
 * moves on by itself when it is asked for the next; asking for an earlier one is a mistake of the caller. Every error
 * ends the program.
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

/* The id of a global string, defined when it is first asked for, or reserved where only events were written so far. */
OTF2_StringRef archive_string(Archive *archive, const char *text);

/* Global definitions in common shapes. */
void archive_clock(Archive *archive, uint64_t ticks_per_second, uint64_t offset, uint64_t length);
/* A machine, system tree node 0, with `n` processes, location groups 0 to n - 1. */
void archive_processes(Archive *archive, uint32_t n);
void archive_location(Archive *archive, uint64_t id, uint32_t process, const char *name);
void archive_region(Archive *archive, uint32_t id, const char *name, const char *file, uint32_t line);
/* A communicator and its group, which have the same id, of ranks 0 to n - 1. Group `id` + 1 lists the locations that
 * they are. */
void archive_world(Archive *archive, uint32_t id, const uint64_t *locations, uint32_t n);

/* The number of events that were written to a location. */
uint64_t archive_n_events(Archive *archive, uint64_t location);

#define WRITE(call) archive_expect((call), #call)
void archive_expect(OTF2_ErrorCode status, const char *what);
