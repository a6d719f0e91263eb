/*
 * Unpacking rows. The bytes may be damaged: the functions check every number against the number of rows and the schema
 * before they use it.
 */
#include "libxtf/pack/pack.h"
#include "libxtf/pack/read-streams.h"

/* Reads the times, the first part of packed rows. */
static bool read_times(XtfPackReader *reader, uint32_t count, uint64_t *times)
{
    XtfNumberReader numbers;
    uint64_t time = 0;
    bool falls = false;

    if (!xtf_read_numbers(reader, count, &numbers, NULL))
        return false;
    for (uint32_t n = 0; n < count; n++) {
        uint64_t step = xtf_next_number(&numbers);
        time += step;
        falls |= time < step;
        times[n] = time;
    }
    return !falls || xtf_pack_fail(reader, "its times go backwards");
}

typedef struct {
    uint64_t value;
    bool is_chained;
} TemplateValue;

/* The templates while they are read. */
typedef struct {
    const XtfSchema *schema;
    uint32_t count;
    unsigned n_fields; /* number of fields, the time left out */
    XtfPackField fields[XTF_FIELDS_MAX];
    uint64_t before[XTF_FIELDS_MAX]; /* for STEP fields: the value before the first row */
    unsigned n;
    size_t image_size;      /* row_size rounded up to a multiple of COPY_BYTES */
    uint8_t *images;        /* one row for each template, with the values of VALUE fields */
    TemplateValue *values;  /* of STEP and DISTANCE fields: n values for each field */
    const uint8_t *numbers; /* the template of each row */
} Templates;

enum { COPY_BYTES = 16 }; /* bytes copied at once */

static void read_field_modes(XtfPackReader *reader, Templates *templates)
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

/* Stores the low bits of `value` that fit the field. */
static inline void put_field(const XtfPackField *field, uint8_t *row, uint64_t value)
{
    uint8_t *at = row + field->load.at;
    uint64_t lower_fields = xtf_load64(at) & ~(UINT64_MAX << field->load.shift); /* bytes of earlier fields */

    xtf_store64(at, lower_fields | value << field->load.shift);
}

static void read_template_value(XtfPackReader *reader, Templates *templates, unsigned f, unsigned i)
{
    const XtfPackField *field = &templates->fields[f];
    TemplateValue *value = &templates->values[f * templates->n + i];
    uint8_t kind;

    switch (field->mode) {
    case XTF_PACK_VALUE:
        put_field(field, templates->images + i * templates->image_size, xtf_unzigzag(xtf_read_varint(reader)));
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

static bool read_template_numbers(XtfPackReader *reader, Templates *templates)
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
static bool read_templates(XtfPackReader *reader, Templates *templates)
{
    size_t length;
    uint64_t most =
        templates->n_fields * (XTF_PACK_TEMPLATES_MAX + UINT64_C(1)) * XTF_PACK_FIELD_MAX + 1 + templates->count;
    const uint8_t *stream = xtf_read_stream(reader, XTF_SCRATCH_STREAM, 2, most, &length);
    XtfPackReader template_reader = {.at = stream, .end = stream ? stream + length : NULL};

    if (!stream)
        return false;
    read_field_modes(&template_reader, templates);
    templates->image_size = (templates->schema->row_size + COPY_BYTES - 1u) / COPY_BYTES * COPY_BYTES;
    size_t images = templates->n * templates->image_size;
    size_t values = sizeof(TemplateValue) * templates->n * templates->n_fields;
    templates->images = memset(xtf_scratch(XTF_SCRATCH_VECTORS, images + values), 0, images);
    templates->values = (TemplateValue *)(void *)(templates->images + images);
    for (unsigned f = 0; f < templates->n_fields; f++)
        for (unsigned i = 0; i < templates->n && !template_reader.fault; i++)
            read_template_value(&template_reader, templates, f, i);
    if (!template_reader.fault && read_template_numbers(&template_reader, templates) &&
        template_reader.at != template_reader.end)
        xtf_pack_fail(&template_reader, "there are bytes after its templates");
    return !template_reader.fault || xtf_pack_fail(reader, template_reader.fault);
}

/* Fills `count` rows by copying whole images, which overlap the next rows. With a constant size the compiler makes each
 * copy a few moves. */
__attribute__((always_inline)) static inline void fill_whole_images(const Templates *templates, const uint64_t *times,
                                                                    uint32_t count, uint8_t *rows, size_t image_size)
{
    const size_t row_size = templates->schema->row_size;
    const uint8_t *images = templates->images, *numbers = templates->numbers;

    for (uint32_t n = 0; n < count; n++, rows += row_size) {
        const uint8_t *image = images + numbers[n] * image_size;
        for (size_t at = 0; at < image_size; at += COPY_BYTES)
            memcpy(rows + at, image + at, COPY_BYTES);
        xtf_store64(rows, times[n]);
    }
}

/* Fills rows with the values of their templates and with their times. */
static void fill_rows(const Templates *templates, const uint64_t *times, uint8_t *rows)
{
    size_t row_size = templates->schema->row_size, image_size = templates->image_size;
    uint32_t count = templates->count;
    /* Images are longer than rows: the images of the last rows would be written past the end of `rows`. */
    uint32_t n_whole = count - (uint32_t)MIN(count, (image_size + row_size - 1) / row_size);

    if (image_size == 2 * (size_t)COPY_BYTES)
        fill_whole_images(templates, times, n_whole, rows, 2 * (size_t)COPY_BYTES);
    else if (image_size == 3 * (size_t)COPY_BYTES)
        fill_whole_images(templates, times, n_whole, rows, 3 * (size_t)COPY_BYTES);
    else
        fill_whole_images(templates, times, n_whole, rows, image_size);
    for (uint32_t n = n_whole; n < count; n++) {
        memcpy(rows + n * row_size, templates->images + templates->numbers[n] * image_size, row_size);
        xtf_store64(rows + n * row_size, times[n]);
    }
}

static void fill_steps(const Templates *templates, unsigned f, uint8_t *rows)
{
    const XtfPackField field = templates->fields[f];
    const TemplateValue *values = templates->values + f * templates->n;
    uint64_t value = templates->before[f];

    for (uint32_t n = 0; n < templates->count; n++, rows += templates->schema->row_size) {
        value += values[templates->numbers[n]].value;
        put_field(&field, rows, value);
    }
}

static bool fill_distances(XtfPackReader *reader, const Templates *templates, unsigned f, uint8_t *rows)
{
    const XtfPackField field = templates->fields[f];
    const TemplateValue *values = templates->values + f * templates->n;
    size_t row_size = templates->schema->row_size;
    uint64_t distance = 0;

    for (uint32_t n = 0; n < templates->count; n++, rows += row_size) {
        const TemplateValue *value = &values[templates->numbers[n]];
        if (value->is_chained) {
            if (n == 0 || distance >= n)
                return xtf_pack_fail(reader, "a row is chained to a row before the first");
            distance = (distance + 1 + xtf_pack_get(&field, rows - (distance + 1) * row_size)) & field.mask;
        } else {
            distance = value->value & field.mask;
        }
        put_field(&field, rows, distance);
    }
    return true;
}

static bool fill_numbers(XtfPackReader *reader, const Templates *templates, const XtfPackField *field, uint8_t *rows)
{
    const XtfPackField packed_field = *field;
    bool is_signed = packed_field.field->type == XTF_TYPE_I32 || packed_field.field->type == XTF_TYPE_I64;
    uint64_t value = 0;
    XtfNumberReader numbers;

    if (!xtf_read_numbers(reader, templates->count, &numbers, NULL))
        return false;
    for (uint32_t n = 0; n < templates->count; n++, rows += templates->schema->row_size) {
        uint64_t number = xtf_next_number(&numbers);
        if (packed_field.mode == XTF_PACK_STEPS)
            value += xtf_unzigzag(number);
        else
            value = is_signed ? xtf_unzigzag(number) : number;
        put_field(&packed_field, rows, value);
    }
    return true;
}

static bool fill_planes(XtfPackReader *reader, const Templates *templates, const XtfPackField *field, uint8_t *rows)
{
    size_t row_size = templates->schema->row_size, length;

    for (unsigned byte = 0; byte < field->field->width; byte++) {
        const uint8_t *plane = xtf_read_stream(reader, XTF_SCRATCH_STREAM, templates->count, templates->count, &length);
        uint8_t *to = rows + field->field->offset + byte;
        if (!plane)
            return false;
        for (uint32_t n = 0; n < templates->count; n++)
            to[n * row_size] = plane[n];
    }
    return true;
}

/* Returns the set of fields whose values are in templates. */
static XtfFieldSet fields_in_templates(const Templates *templates)
{
    XtfFieldSet set = 0;

    for (unsigned f = 0; f < templates->n_fields; f++)
        if (templates->fields[f].mode == XTF_PACK_VALUE)
            set |= UINT64_C(1) << (f + 1);
    return set;
}

static bool read_fields(XtfPackReader *reader, const XtfSchema *schema, const XtfRowMap *map, uint32_t count,
                        const uint64_t *times, uint8_t *rows)
{
    Templates templates = {.schema = schema, .count = count, .n_fields = schema->n_fields - 1};
    bool success = read_templates(reader, &templates);

    /* Map the values in templates once each, before they are copied to rows. */
    if (success && map)
        xtf_row_map_apply(map, fields_in_templates(&templates), true, templates.images, templates.image_size,
                          templates.n);
    if (success)
        fill_rows(&templates, times, rows);
    for (unsigned f = 0; success && f < templates.n_fields; f++)
        if (templates.fields[f].mode == XTF_PACK_STEP)
            fill_steps(&templates, f, rows);
        else if (templates.fields[f].mode == XTF_PACK_DISTANCE)
            success = fill_distances(reader, &templates, f, rows);
    for (unsigned f = 0; success && f < templates.n_fields; f++)
        if (templates.fields[f].mode == XTF_PACK_PLANES)
            success = fill_planes(reader, &templates, &templates.fields[f], rows);
        else if (templates.fields[f].mode >= XTF_PACK_COLUMN)
            success = fill_numbers(reader, &templates, &templates.fields[f], rows);
    if (success && map)
        xtf_row_map_apply(map, fields_in_templates(&templates), false, rows, schema->row_size, count);
    return success;
}

static bool finish_reading(const XtfPackReader *reader, const char **fault)
{
    xtf_scratch_done();
    if (reader->fault)
        *fault = reader->fault;
    return !reader->fault;
}

/* Sets the bits of the rows whose template has 0 in the field, and clears the others. */
static void find_zeros(const Templates *templates, const XtfPackField *field, uint64_t *zeros)
{
    bool is_zero[XTF_PACK_TEMPLATES_MAX];

    for (unsigned i = 0; i < templates->n; i++)
        is_zero[i] = xtf_pack_get(field, templates->images + i * templates->image_size) == 0;
    for (uint32_t n = 0; n < templates->count; n += 64) {
        uint32_t end = MIN(templates->count - n, 64);
        uint64_t word = 0;
        for (uint32_t i = 0; i < end; i++)
            word |= (uint64_t)is_zero[templates->numbers[n + i]] << i;
        zeros[n / 64] = word;
    }
}

bool xtf_unpack_zeros(const XtfSchema *schema, unsigned field, const uint8_t *packed, uint32_t length, uint32_t count,
                      uint64_t *zeros, bool *known, const char **fault)
{
    XtfPackReader reader = {.at = packed, .end = packed + length};
    Templates templates = {.schema = schema, .count = count, .n_fields = schema->n_fields - 1};

    *known = false;
    if (xtf_skip_stream(&reader) && xtf_skip_stream(&reader) && read_templates(&reader, &templates)) {
        *known = templates.fields[field - 1].mode == XTF_PACK_VALUE;
        if (*known)
            find_zeros(&templates, &templates.fields[field - 1], zeros);
    }
    return finish_reading(&reader, fault);
}

bool xtf_unpack_rows(const XtfSchema *schema, const uint8_t *packed, uint32_t length, uint32_t count, uint8_t *rows,
                     const char **fault)
{
    return xtf_unpack_mapped(schema, NULL, packed, length, count, rows, fault);
}

bool xtf_unpack_mapped(const XtfSchema *schema, const XtfRowMap *map, const uint8_t *packed, uint32_t length,
                       uint32_t count, uint8_t *rows, const char **fault)
{
    XtfPackReader reader = {.at = packed, .end = packed + length};
    uint64_t *times = (uint64_t *)(void *)xtf_scratch(XTF_SCRATCH_PACKED, sizeof *times * (size_t)count);
    bool success = read_times(&reader, count, times);

    if (success && schema->n_fields > 1)
        success = read_fields(&reader, schema, map, count, times, rows);
    else
        for (uint32_t n = 0; success && n < count; n++)
            xtf_store64(rows + (size_t)n * schema->row_size, times[n]);
    if (success && reader.at != reader.end)
        xtf_pack_fail(&reader, "there are bytes after its rows");
    return finish_reading(&reader, fault);
}

/* ---- Frames. */

/* True if the keys of frames have a column that xtf_frame_key() can hold. */
static bool has_key_column(const Templates *templates, const XtfFrameFields *fields)
{
    const XtfPackField *key = &templates->fields[fields->key - 1];

    return (key->mode == XTF_PACK_COLUMN || key->mode == XTF_PACK_STEPS) && key->field->width <= sizeof(uint32_t);
}

/* Sets the value of each template for frames. Returns false if the fields are packed in other ways. */
static bool find_frame_templates(const Templates *templates, const XtfFrameFields *fields, XtfFrameTemplate *frames)
{
    const XtfPackField *field = templates->fields, *distance = &field[fields->distance - 1];

    if (field[fields->is_end - 1].mode != XTF_PACK_VALUE || field[fields->outermost - 1].mode != XTF_PACK_VALUE ||
        (field[fields->key - 1].mode != XTF_PACK_VALUE && !has_key_column(templates, fields)))
        return false;
    if (distance->mode != XTF_PACK_VALUE && distance->mode != XTF_PACK_DISTANCE)
        return false;
    const TemplateValue *distances = templates->values + (fields->distance - 1) * templates->n;
    for (unsigned i = 0; i < templates->n; i++) {
        const uint8_t *image = templates->images + i * templates->image_size;
        bool is_value = distance->mode == XTF_PACK_VALUE;
        uint64_t rows = is_value ? xtf_pack_get(distance, image) : distances[i].value & distance->mask;
        if (rows >= XTF_FRAME_CHAINED)
            return false;
        frames[i] = (XtfFrameTemplate){
            .key = xtf_pack_get(&field[fields->key - 1], image),
            .distance = !is_value && distances[i].is_chained ? XTF_FRAME_CHAINED : (uint32_t)rows,
            .is_end = xtf_pack_get(&field[fields->is_end - 1], image) != 0,
            .outermost = xtf_pack_get(&field[fields->outermost - 1], image) != 0,
        };
    }
    return true;
}

/* Copies `count` times to the end of columns. */
static void store_frame_times(XtfFrameColumns *columns, const uint64_t *times, bool wide, void *to)
{
    uint32_t count = columns->count, *offsets = to;

    columns->first = times[0];
    if (wide) {
        columns->times = memcpy(to, times, count * sizeof *times);
        return;
    }
    columns->offsets = offsets;
    for (uint32_t i = 0; i < count; i++)
        offsets[i] = (uint32_t)(times[i] - times[0]);
}

/* Creates columns of frames behind `before` bytes of a new allocation of *size bytes. Leaves out the keys, for which
 * *keys is the space; NULL if the templates have them. */
static uint8_t *create_frames(const Templates *templates, const XtfFrameTemplate *frames, const uint64_t *times,
                              uint32_t before, uint32_t *size, uint32_t **keys)
{
    uint32_t count = templates->count;
    bool wide = times[count - 1] - times[0] > UINT32_MAX;
    size_t times_at = before + sizeof(XtfFrameColumns) + templates->n * sizeof *frames,
           keys_at = times_at + count * (wide ? sizeof(uint64_t) : sizeof(uint32_t)),
           numbers_at = keys_at + (*keys ? count * sizeof **keys : 0), bytes = numbers_at + count;
    uint8_t *memory = g_malloc(bytes);
    XtfFrameColumns *columns = (XtfFrameColumns *)(void *)(memory + before);

    if (*keys)
        *keys = (uint32_t *)(void *)(memory + keys_at);
    *columns = (XtfFrameColumns){
        .count = count,
        .templates = memcpy(columns + 1, frames, templates->n * sizeof *frames),
        .keys = *keys,
        .numbers = memcpy(memory + numbers_at, templates->numbers, count),
    };
    store_frame_times(columns, times, wide, memory + times_at);
    *size = (uint32_t)bytes;
    return memory;
}

/* Skips the columns before that of the keys. */
static bool skip_columns_before(XtfPackReader *reader, const Templates *templates, unsigned end)
{
    bool success = true;

    for (unsigned f = 0; f < end; f++) {
        const XtfPackField *field = &templates->fields[f];
        unsigned streams = field->mode == XTF_PACK_PLANES   ? field->field->width
                           : field->mode >= XTF_PACK_COLUMN ? 2
                                                            : 0;
        for (; success && streams > 0; streams--)
            success = xtf_skip_stream(reader);
    }
    return success;
}

/* Reads the column of keys, and converts them. */
static bool read_frame_keys(XtfPackReader *reader, const Templates *templates, const XtfRowMap *map, unsigned key,
                            uint32_t *keys)
{
    const XtfPackField field = templates->fields[key - 1];
    const XtfNumberMap *numbers_map = map ? xtf_row_map_of_key(map, key) : NULL;
    bool is_signed = field.field->type == XTF_TYPE_I32, steps = field.mode == XTF_PACK_STEPS;
    XtfNumberReader numbers;
    uint64_t value = 0;

    if (!skip_columns_before(reader, templates, key - 1) || !xtf_read_numbers(reader, templates->count, &numbers, NULL))
        return false;
    for (uint32_t n = 0; n < templates->count; n++) {
        uint64_t number = xtf_next_number(&numbers);
        value = steps ? value + xtf_unzigzag(number) : is_signed ? xtf_unzigzag(number) : number;
        value &= field.mask;
        keys[n] = (uint32_t)(numbers_map ? xtf_number_map(numbers_map, value) : value);
    }
    return true;
}

uint8_t *xtf_unpack_frames(const XtfSchema *schema, const XtfRowMap *map, const XtfFrameFields *fields,
                           const uint8_t *packed, uint32_t length, uint32_t count, uint32_t before, uint32_t *size,
                           const char **fault)
{
    XtfPackReader reader = {.at = packed, .end = packed + length};
    Templates templates = {.schema = schema, .count = count, .n_fields = schema->n_fields - 1};
    XtfFrameTemplate frames[XTF_PACK_TEMPLATES_MAX];
    uint64_t *times = (uint64_t *)(void *)xtf_scratch(XTF_SCRATCH_PACKED, sizeof *times * (size_t)count);
    uint32_t none, *keys = NULL;
    g_autofree uint8_t *memory = NULL;

    bool success = read_times(&reader, count, times) && read_templates(&reader, &templates);
    if (success && map)
        xtf_row_map_apply(map, fields_in_templates(&templates), true, templates.images, templates.image_size,
                          templates.n);
    if (success && find_frame_templates(&templates, fields, frames)) {
        keys = has_key_column(&templates, fields) ? &none : NULL;
        memory = create_frames(&templates, frames, times, before, size, &keys);
        if (keys)
            read_frame_keys(&reader, &templates, map, fields->key, keys);
    }
    return finish_reading(&reader, fault) ? g_steal_pointer(&memory) : NULL;
}

uint32_t xtf_frames_rank(const XtfFrameColumns *columns, uint64_t t, uint64_t *comparisons)
{
    uint32_t low = 0, high = columns->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        ++*comparisons;
        if (xtf_frame_time(columns, middle) < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
