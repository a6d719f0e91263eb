/*
 * The archive `all-events`: every event and every definition of OTF2. Each field has a value that differs from its
 * neighbours.
 *
 * 4 processes of 2 threads each write the same rounds of events at the same times. The rounds differ in the values
 * of enumerations. Every other round has attributes, and some have extreme numbers.
 */
#pragma once

#include "archive.h"

/* Ids of definitions. Each kind has its own range, so that a reader that confuses two kinds fails. */
enum {
    N_PROCESSES = 4,
    N_THREADS = 2,
    N_OF_EACH = 8, /* definitions of a kind that events refer to */
    GROUP_FIRST = 10,
    REGION_FIRST = 100,
    COMM_FIRST = 200,
    COMM_GROUP_FIRST = 300,
    METRIC_MEMBER_FIRST = 400,
    METRIC_CLASS = 450,
    METRIC_INSTANCE = 460,
    ATTRIBUTE_FIRST = 500,
    PARAMETER_FIRST = 600,
    RMA_WIN_FIRST = 700,
    SOURCE_FIRST = 800,
    CONTEXT_FIRST = 900,
    GENERATOR_FIRST = 1000,
    FILE_FIRST = 1100,
    HANDLE_FIRST = 1200,
    CALLPATH_FIRST = 1300,
    DIMENSION_FIRST = 1400,
    TOPOLOGY_FIRST = 1500,
    N_ATTRIBUTE_TYPES = OTF2_TYPE_LOCATION_GROUP, /* the types are 1 to this */
    N_IO_PARADIGMS = 2,
    N_METRIC_MEMBERS = 3, /* in METRIC_CLASS and METRIC_INSTANCE: unsigned, signed, floating point */
};

static inline uint64_t all_events_location(unsigned process, unsigned thread)
{
    return process + ((uint64_t)thread << 32);
}

/* Returns a value of an attribute or property type, derived from a number. Ids refer to one of N_OF_EACH
 * definitions. */
OTF2_AttributeValue all_events_value(Archive *archive, OTF2_Type type, uint64_t number);

/* The stream of events of one location. */
typedef struct {
    Archive *archive;
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *attributes;
    uint64_t time;
    uint64_t number; /* number of values that were used */
    unsigned round;
} Emitter;

OTF2_AttributeList *emitter_attributes(Emitter *emitter);
uint64_t emitter_tick(Emitter *emitter);
uint32_t emitter_u32(Emitter *emitter);
uint64_t emitter_u64(Emitter *emitter);
int64_t emitter_i64(Emitter *emitter);
/* Returns the id of one of the definitions from `first` on. */
uint32_t emitter_ref(Emitter *emitter, uint32_t first);
/* Returns a rank that is valid in every communicator. */
uint32_t emitter_rank(Emitter *emitter);
/* Returns a value of an enumeration, below `n`. */
uint8_t emitter_enum(const Emitter *emitter, unsigned n);

/* Writes one event: EMIT(Enter, region). */
#define EMIT(kind, ...) \
    WRITE(OTF2_EvtWriter_##kind(emitter->writer, emitter_attributes(emitter), emitter_tick(emitter), ##__VA_ARGS__))

/* Writes one global definition: DEFINE(String, ...). */
#define DEFINE(kind, ...) WRITE(OTF2_GlobalDefWriter_Write##kind(archive_global(archive), __VA_ARGS__))

void emit_mpi(Emitter *emitter);
void emit_threads(Emitter *emitter);
void emit_rma(Emitter *emitter);
void emit_io(Emitter *emitter);
void emit_values(Emitter *emitter);

void define_system(Archive *archive);
void define_program(Archive *archive);
void define_values(Archive *archive);
void define_io(Archive *archive);

void write_all_events(const char *folder);
