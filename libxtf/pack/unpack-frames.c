/*
 * Unpacking columns of frames.
 */
#include "libxtf/base/block-memory.h"
#include "libxtf/pack/pack.h"
#include "libxtf/pack/read-templates.h"

/* True if the keys of frames have a column that xtf_frame_key() can hold. */
static bool has_key_column(const XtfReadTemplates *templates, const XtfFrameFields *fields)
{
    const XtfPackField *key = &templates->fields[fields->key - 1];

    return (key->mode == XTF_PACK_COLUMN || key->mode == XTF_PACK_STEPS) && key->field->width <= sizeof(uint32_t);
}

/* Sets the value of each template for frames. Returns false if the fields are packed in other ways. */
static bool find_frame_templates(const XtfReadTemplates *templates, const XtfFrameFields *fields,
                                 XtfFrameTemplate *frames)
{
    const XtfPackField *field = templates->fields, *distance = &field[fields->distance - 1];

    if (field[fields->is_end - 1].mode != XTF_PACK_VALUE || field[fields->outermost - 1].mode != XTF_PACK_VALUE ||
        (field[fields->key - 1].mode != XTF_PACK_VALUE && !has_key_column(templates, fields)))
        return false;
    if (distance->mode != XTF_PACK_VALUE && distance->mode != XTF_PACK_DISTANCE)
        return false;
    const XtfTemplateValue *distances = templates->values + (fields->distance - 1) * templates->n;
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

/* Creates columns of frames behind `before` bytes of a new allocation of *size bytes. Leaves out the times and the
 * keys. `numbers`: template of each row. */
static uint8_t *create_frames(const XtfReadTemplates *templates, const uint8_t *numbers, const XtfFrameTemplate *frames,
                              bool wide, bool has_keys, uint32_t before, uint32_t *size)
{
    size_t count = templates->count;
    size_t times_at = before + sizeof(XtfFrameColumns) + templates->n * sizeof *frames,
           keys_at = times_at + count * (wide ? sizeof(uint64_t) : sizeof(uint32_t)),
           numbers_at = keys_at + (has_keys ? count * sizeof(uint32_t) : 0), bytes = numbers_at + count;
    uint8_t *memory = xtf_block_memory_new(bytes);
    XtfFrameColumns *columns = (XtfFrameColumns *)(void *)(memory + before);
    const void *times = memory + times_at, *keys = memory + keys_at;

    *columns = (XtfFrameColumns){
        .count = templates->count,
        .offsets = wide ? NULL : times,
        .times = wide ? times : NULL,
        .templates = memcpy(columns + 1, frames, templates->n * sizeof *frames),
        .keys = has_keys ? keys : NULL,
        .numbers = memcpy(memory + numbers_at, numbers, count),
    };
    *size = (uint32_t)bytes;
    return memory;
}

/* Reads the times of columns, which have space for them. Sets *wide if some offsets do not fit their space. */
static bool read_frame_times(XtfPackReader *reader, XtfFrameColumns *columns, bool *wide)
{
    XtfNumberReader numbers;

    if (!xtf_read_numbers(reader, columns->count, &numbers, NULL))
        return false;
    if (columns->times)
        return xtf_sum_times(&numbers, 0, columns->count, (uint64_t *)columns->times) ||
               xtf_pack_fail(reader, "its times go backwards");
    uint32_t *offsets = (uint32_t *)columns->offsets;
    columns->first = xtf_next_number(&numbers);
    offsets[0] = 0;
    uint64_t last = xtf_sum_numbers(&numbers, columns->count - 1, offsets + 1);
    *wide = last > UINT32_MAX || last > UINT64_MAX - columns->first;
    return true;
}

/* Skips the columns before that of the keys. */
static bool skip_columns_before(XtfPackReader *reader, const XtfReadTemplates *templates, unsigned end)
{
    bool success = true;

    for (unsigned f = 0; success && f < end; f++)
        success = xtf_skip_column(reader, &templates->fields[f]);
    return success;
}

/* Reads the column of keys, and converts them. */
static bool read_frame_keys(XtfPackReader *reader, const XtfReadTemplates *templates, const XtfRowMap *map,
                            unsigned key, uint32_t *keys)
{
    const XtfPackField field = templates->fields[key - 1];
    const XtfNumberMap *numbers_map = map ? xtf_row_map_of_key(map, key) : NULL;
    const bool steps = field.mode == XTF_PACK_STEPS, zigzag = steps || field.field->type == XTF_TYPE_I32;
    const uint64_t mask = field.mask;
    uint64_t codes[XTF_HEADS_AT_ONCE], value = 0;
    XtfNumberReader numbers;

    if (!skip_columns_before(reader, templates, key - 1) || !xtf_read_numbers(reader, templates->count, &numbers, NULL))
        return false;
    for (uint32_t n = 0, some; n < templates->count; n += some) {
        some = xtf_next_numbers(&numbers, templates->count - n, codes);
        for (uint32_t i = 0; i < some; i++) {
            uint64_t number = zigzag ? xtf_unzigzag(codes[i]) : codes[i];
            value = ((steps ? value : 0) + number) & mask;
            keys[n + i] = (uint32_t)value;
        }
    }
    for (uint32_t n = 0; numbers_map && n < templates->count; n++)
        keys[n] = (uint32_t)xtf_number_map(numbers_map, keys[n]);
    return true;
}

/* Creates columns of frames, and reads their times and keys. `packed` begins with the times, and the reader is behind
 * the templates. The reader keeps a fault. */
static uint8_t *read_frames(XtfPackReader *reader, const uint8_t *packed, const XtfReadTemplates *templates,
                            const XtfFrameTemplate *frames, const XtfFrameFields *fields, const XtfRowMap *map,
                            uint32_t before, uint32_t *size)
{
    const uint8_t *behind_templates = reader->at;
    bool has_column = has_key_column(templates, fields), has_keys = has_column && !fields->without_keys, wide = false;
    uint8_t *memory = create_frames(templates, templates->numbers, frames, false, has_keys, before, size);
    XtfFrameColumns *columns = (XtfFrameColumns *)(void *)(memory + before);

    reader->at = packed;
    if (read_frame_times(reader, columns, &wide) && wide) {
        XTF_AUTO_BLOCK uint8_t *narrow = memory;
        memory = create_frames(templates, columns->numbers, frames, true, has_keys, before, size);
        columns = (XtfFrameColumns *)(void *)(memory + before);
        reader->at = packed;
        read_frame_times(reader, columns, &wide);
    }
    columns->lacks_keys = has_column && !has_keys;
    reader->at = behind_templates;
    if (has_keys && !reader->fault)
        read_frame_keys(reader, templates, map, fields->key, (uint32_t *)columns->keys);
    return memory;
}

uint8_t *xtf_unpack_frames(const XtfSchema *schema, const XtfRowMap *map, const XtfFrameFields *fields,
                           const uint8_t *packed, uint32_t length, uint32_t count, uint32_t before, uint32_t *size,
                           const char **fault)
{
    XtfPackReader reader = {.at = packed, .end = packed + length};
    XtfReadTemplates templates = {.schema = schema, .count = count, .n_fields = schema->n_fields - 1};
    XtfFrameTemplate frames[XTF_PACK_TEMPLATES_MAX];
    XTF_AUTO_BLOCK uint8_t *memory = NULL;

    /* The times are read last, to where they stay. */
    bool success = xtf_skip_stream(&reader) && xtf_skip_stream(&reader) && xtf_read_templates(&reader, &templates);
    if (success && map)
        xtf_row_map_apply(map, xtf_fields_in_templates(&templates), true, templates.images, templates.image_size,
                          templates.n);
    if (success && find_frame_templates(&templates, fields, frames))
        memory = read_frames(&reader, packed, &templates, frames, fields, map, before, size);
    return xtf_finish_reading(&reader, fault) ? g_steal_pointer(&memory) : NULL;
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
