#include "src/import/otf1/attributes.h"

#include <string.h>

/* Numbers of labels in src/model/labels.c. */
enum { NONE, UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64, FLOAT, DOUBLE, STRING };
enum { TYPE_LOCATION = 13, SOURCE_CODE_LOCATION = 20 };

static bool append_attribute(XtfStream *stream, uint32_t id, uint8_t type, uint64_t value)
{
    const XtfAttributesRow row = {.time = stream->last_time,
                                  .seq = stream->seq - 1,
                                  .attribute =
                                      xtf_definitions_row(stream->definitions, XTF_MODEL_ATTRIBUTE_DEFINITIONS, id),
                                  .type = type,
                                  .value = value};

    return xtf_stream_append_row(stream, XTF_MODEL_ATTRIBUTES, &row);
}

bool xtf_otf1_add_field(XtfStream *stream, XtfOtf1Field field, uint64_t value)
{
    static const uint8_t types[XTF_OTF1_N_FIELDS] = {
        [XTF_OTF1_SOURCE] = SOURCE_CODE_LOCATION,
        [XTF_OTF1_HANDLE] = UINT64,
        [XTF_OTF1_DURATION] = UINT64,
        [XTF_OTF1_FLAGS] = UINT32,
        [XTF_OTF1_ORIGIN] = TYPE_LOCATION,
        [XTF_OTF1_MARKER_KIND] = STRING,
    };

    if (types[field] != STRING) /* that is a string of the trace already */
        value = xtf_definitions_value(stream->definitions, types[field], value);
    return append_attribute(stream, xtf_otf1_field_id(field), types[field], value);
}

/* Returns the id of the text of an array of bytes. */
static uint64_t array_value(XtfDefinitions *definitions, OTF_KeyValueList *list, uint32_t key)
{
    uint32_t length = 0;

    OTF_KeyValueList_getArrayLength(list, key, &length);
    g_autofree uint8_t *bytes = g_malloc0((gsize)length + 1);
    OTF_KeyValueList_getByteArray(list, key, bytes, &length);
    g_autofree char *text = g_utf8_make_valid((const char *)bytes, -1);
    return xtf_definitions_late_string(definitions, text);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Finds the value of a pair, and its type of xtf_value_types. */
static uint8_t read_pair(const OTF_KeyValuePair *pair, uint64_t *value)
{
    switch (pair->type) {
    case OTF_CHAR:
        return *value = (uint8_t)pair->value.otf_char, UINT8;
    case OTF_INT8:
        return *value = (uint64_t)pair->value.otf_int8, INT8;
    case OTF_UINT8:
        return *value = pair->value.otf_uint8, UINT8;
    case OTF_INT16:
        return *value = (uint64_t)pair->value.otf_int16, INT16;
    case OTF_UINT16:
        return *value = pair->value.otf_uint16, UINT16;
    case OTF_INT32:
        return *value = (uint64_t)pair->value.otf_int32, INT32;
    case OTF_UINT32:
        return *value = pair->value.otf_uint32, UINT32;
    case OTF_INT64:
        return *value = (uint64_t)pair->value.otf_int64, INT64;
    case OTF_UINT64:
        return *value = pair->value.otf_uint64, UINT64;
    case OTF_FLOAT:
        return *value = bits_of(pair->value.otf_float), FLOAT;
    case OTF_DOUBLE:
        return *value = bits_of(pair->value.otf_double), DOUBLE;
    default:
        return *value = 0, NONE;
    }
}

bool xtf_otf1_add_list(XtfStream *stream, OTF_KeyValueList *list)
{
    uint32_t n = list ? OTF_KeyValueList_getCount(list) : 0;
    OTF_KeyValuePair *pair;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t value = 0;
        if (OTF_KeyValueList_getPairByIndex(list, i, &pair) != 0)
            continue;
        uint8_t type = pair->type == OTF_BYTE_ARRAY ? STRING : read_pair(pair, &value);
        if (type == STRING)
            value = array_value(stream->definitions, list, pair->key);
        if (!append_attribute(stream, pair->key, type, value))
            return false;
    }
    return true;
}
