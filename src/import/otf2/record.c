#include "src/import/otf2/record.h"

OTF2_CallbackCode xtf_otf2_add_attributes(XtfStream *stream, const OTF2_AttributeList *attributes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef attribute;
        OTF2_AttributeValue value;
        OTF2_Type type;
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &attribute, &type, &value) != OTF2_SUCCESS)
            return OTF2_CALLBACK_INTERRUPT;
        XtfAttributesRow row = {
            .time = stream->last_time,
            .seq = stream->seq - 1,
            .attribute = xtf_definitions_row(stream->definitions, XTF_MODEL_ATTRIBUTE_DEFINITIONS, attribute),
            .type = type,
            .value = xtf_definitions_value(stream->definitions, type, xtf_otf2_raw_value(type, value)),
        };
        if (!xtf_stream_append_row(stream, XTF_MODEL_ATTRIBUTES, &row))
            return OTF2_CALLBACK_INTERRUPT;
    }
    return OTF2_CALLBACK_SUCCESS;
}
