#include "all-events.h"

OTF2_AttributeValue all_events_value(Archive *archive, OTF2_Type type, uint64_t number)
{
    static const uint32_t first[] = {
        [OTF2_TYPE_ATTRIBUTE] = ATTRIBUTE_FIRST,
        [OTF2_TYPE_REGION] = REGION_FIRST,
        [OTF2_TYPE_GROUP] = COMM_GROUP_FIRST,
        [OTF2_TYPE_COMM] = COMM_FIRST,
        [OTF2_TYPE_PARAMETER] = PARAMETER_FIRST,
        [OTF2_TYPE_RMA_WIN] = RMA_WIN_FIRST,
        [OTF2_TYPE_SOURCE_CODE_LOCATION] = SOURCE_FIRST,
        [OTF2_TYPE_CALLING_CONTEXT] = CONTEXT_FIRST,
        [OTF2_TYPE_INTERRUPT_GENERATOR] = GENERATOR_FIRST,
        [OTF2_TYPE_IO_FILE] = FILE_FIRST,
        [OTF2_TYPE_IO_HANDLE] = HANDLE_FIRST,
    };
    OTF2_AttributeValue value = {.uint64 = 0};

    switch (type) {
    case OTF2_TYPE_INT8:
        value.int8 = (int8_t)(-100 + (int)(number % 200));
        break;
    case OTF2_TYPE_INT16:
        value.int16 = (int16_t)(-1000 - (int)(number % 1000));
        break;
    case OTF2_TYPE_INT32:
        value.int32 = -100000 - (int32_t)(number % 100000);
        break;
    case OTF2_TYPE_INT64:
        value.int64 = INT64_MIN + (int64_t)(number % 1000);
        break;
    case OTF2_TYPE_UINT8:
        value.uint8 = number % 256;
        break;
    case OTF2_TYPE_UINT16:
        value.uint16 = 60000 + number % 5000;
        break;
    case OTF2_TYPE_UINT32:
        value.uint32 = 4000000000u + number % 100000000;
        break;
    case OTF2_TYPE_UINT64:
        value.uint64 = UINT64_MAX - 1 - number;
        break;
    case OTF2_TYPE_FLOAT:
        value.float32 = -1.5f - number;
        break;
    case OTF2_TYPE_DOUBLE:
        value.float64 = 1e300 / (1 + number);
        break;
    case OTF2_TYPE_STRING: {
        g_autofree char *text = g_strdup_printf("text \"%u\"\tof an attribute", (unsigned)(number % N_OF_EACH));
        value.stringRef = archive_string(archive, text);
        break;
    }
    case OTF2_TYPE_LOCATION:
        value.locationRef = all_events_location(number % N_PROCESSES, number % N_THREADS);
        break;
    case OTF2_TYPE_METRIC:
        value.metricRef = number % 2 ? METRIC_CLASS : METRIC_INSTANCE;
        break;
    case OTF2_TYPE_LOCATION_GROUP:
        value.locationGroupRef = GROUP_FIRST + number % N_PROCESSES;
        break;
    default:
        value.uint32 = first[type] + number % N_OF_EACH;
    }
    return value;
}

/* Adds no attributes in even rounds, and 0 to 3 in odd rounds, of all types in turn. */
OTF2_AttributeList *emitter_attributes(Emitter *emitter)
{
    if (emitter->round % 2 == 0)
        return NULL;
    unsigned n = emitter->number % 4;
    for (unsigned i = 0; i < n; i++) {
        OTF2_Type type = 1 + (emitter->number + emitter->round + i) % N_ATTRIBUTE_TYPES;
        OTF2_AttributeValue value = all_events_value(emitter->archive, type, emitter->number);
        WRITE(OTF2_AttributeList_AddAttribute(emitter->attributes, ATTRIBUTE_FIRST + type, type, value));
    }
    return emitter->attributes;
}

/* Advances the time, except that every third event has the time of the one before. */
uint64_t emitter_tick(Emitter *emitter)
{
    emitter->time += ++emitter->number % 3;
    return emitter->time;
}

/* Returns 0 in round 2, the greatest value in round 4, and the value one below in round 6. For OTF2 the greatest
 * ones mean "undefined". */
uint32_t emitter_u32(Emitter *emitter)
{
    emitter->number++;
    switch (emitter->round) {
    case 2:
        return 0;
    case 4:
        return UINT32_MAX;
    case 6:
        return UINT32_MAX - 1;
    default:
        return 1000000 + emitter->number;
    }
}

uint64_t emitter_u64(Emitter *emitter)
{
    emitter->number++;
    switch (emitter->round) {
    case 2:
        return 0;
    case 4:
        return UINT64_MAX;
    case 6:
        return UINT64_MAX - 1;
    default:
        return (UINT64_C(1) << 40) + emitter->number;
    }
}

int64_t emitter_i64(Emitter *emitter)
{
    emitter->number++;
    switch (emitter->round) {
    case 2:
        return 0;
    case 4:
        return INT64_MIN;
    case 6:
        return INT64_MAX;
    default:
        return -(int64_t)emitter->number;
    }
}

uint32_t emitter_ref(Emitter *emitter, uint32_t first)
{
    return first + emitter->number++ % N_OF_EACH;
}

uint32_t emitter_rank(Emitter *emitter)
{
    return emitter->number++ % N_PROCESSES;
}

uint8_t emitter_enum(const Emitter *emitter, unsigned n)
{
    return emitter->round % n;
}
