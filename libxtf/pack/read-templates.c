#include "libxtf/pack/read-templates.h"

bool xtf_read_times(XtfPackReader *reader, uint32_t count, uint64_t *times)
{
    XtfNumberReader numbers;

    if (!xtf_read_numbers(reader, count, &numbers, NULL))
        return false;
    times[0] = xtf_next_number(&numbers);
    return xtf_sum_times(&numbers, times[0], count - 1, times + 1) || xtf_pack_fail(reader, "its times go backwards");
}

static void read_field_modes(XtfPackReader *reader, XtfReadTemplates *templates)
{
    for (unsigned f = 0; f < templates->n_fields; f++) {
        XtfPackField *field = &templates->fields[f];
        *field = xtf_pack_field(&templates->schema->fields[f + 1]);
        field->mode = xtf_read_byte(reader);
        if (field->wide && field->mode != XTF_PACK_PLANES)
            xtf_pack_fail(reader, "it has numbers of more than 8 bytes");
        if (field->mode == XTF_PACK_STEP)
            templates->before[f] = xtf_unzigzag(xtf_read_varint(reader));
        else if (field->mode > XTF_PACK_PLANES)
            xtf_pack_fail(reader, "it has a field of an unknown mode");
    }
    templates->n = xtf_read_byte(reader) + 1u;
}

static void read_template_value(XtfPackReader *reader, XtfReadTemplates *templates, unsigned f, unsigned i)
{
    const XtfPackField *field = &templates->fields[f];
    XtfTemplateValue *value = &templates->values[f * templates->n + i];
    uint8_t kind;

    switch (field->mode) {
    case XTF_PACK_VALUE:
        xtf_put_field(field, templates->images + i * templates->image_size, xtf_unzigzag(xtf_read_varint(reader)));
        break;
    case XTF_PACK_STEP:
        value->value = xtf_unzigzag(xtf_read_varint(reader));
        break;
    case XTF_PACK_DISTANCE:
        kind = xtf_read_byte(reader);
        value->is_chained = kind == XTF_PACK_CHAINED;
        value->value = value->is_chained ? 0 : xtf_read_varint(reader);
        if (kind > XTF_PACK_CHAINED)
            xtf_pack_fail(reader, "a distance has an unknown form");
        break;
    default:
        break;
    }
}

static bool read_template_numbers(XtfPackReader *reader, XtfReadTemplates *templates)
{
    uint8_t highest = 0;

    if (templates->n == 1) {
        templates->numbers = memset(xtf_scratch(XTF_SCRATCH_TAILS, templates->count), 0, templates->count);
        return true;
    }
    if ((uint64_t)(reader->end - reader->at) < templates->count)
        return xtf_pack_fail(reader, "its numbers of templates are cut short");
    templates->numbers = reader->at;
    reader->at += templates->count;
    for (uint32_t n = 0; n < templates->count; n++)
        highest = MAX(highest, templates->numbers[n]);
    return highest < templates->n || xtf_pack_fail(reader, "a row has a template that does not exist");
}

/* Reads the output of put_templates() in pack.c. */
bool xtf_read_templates(XtfPackReader *reader, XtfReadTemplates *templates)
{
    size_t length;
    uint64_t most =
        templates->n_fields * (XTF_PACK_TEMPLATES_MAX + UINT64_C(1)) * XTF_PACK_FIELD_MAX + 1 + templates->count;
    const uint8_t *stream = xtf_read_stream(reader, XTF_SCRATCH_STREAM, 2, most, &length);
    XtfPackReader template_reader = {.at = stream, .end = stream ? stream + length : NULL};

    if (!stream)
        return false;
    read_field_modes(&template_reader, templates);
    templates->image_size = (templates->schema->row_size + XTF_COPY_BYTES - 1u) / XTF_COPY_BYTES * XTF_COPY_BYTES;
    size_t images = templates->n * templates->image_size;
    size_t values = sizeof(XtfTemplateValue) * templates->n * templates->n_fields;
    templates->images = memset(xtf_scratch(XTF_SCRATCH_VECTORS, images + values), 0, images);
    templates->values = (XtfTemplateValue *)(void *)(templates->images + images);
    for (unsigned f = 0; f < templates->n_fields; f++)
        for (unsigned i = 0; i < templates->n && !template_reader.fault; i++)
            read_template_value(&template_reader, templates, f, i);
    if (!template_reader.fault && read_template_numbers(&template_reader, templates) &&
        template_reader.at != template_reader.end)
        xtf_pack_fail(&template_reader, "there are bytes after its templates");
    return !template_reader.fault || xtf_pack_fail(reader, template_reader.fault);
}

XtfFieldSet xtf_fields_in_templates(const XtfReadTemplates *templates)
{
    XtfFieldSet set = 0;

    for (unsigned f = 0; f < templates->n_fields; f++)
        if (templates->fields[f].mode == XTF_PACK_VALUE)
            set |= UINT64_C(1) << (f + 1);
    return set;
}

bool xtf_skip_column(XtfPackReader *reader, const XtfPackField *field)
{
    unsigned streams = field->mode == XTF_PACK_PLANES ? field->field->width : field->mode >= XTF_PACK_COLUMN ? 2 : 0;
    bool success = true;

    for (; success && streams > 0; streams--)
        success = xtf_skip_stream(reader);
    return success;
}

bool xtf_finish_reading(const XtfPackReader *reader, const char **fault)
{
    xtf_scratch_done();
    if (reader->fault)
        *fault = reader->fault;
    return !reader->fault;
}
