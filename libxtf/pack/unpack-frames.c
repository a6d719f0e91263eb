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

/* The times of the rows while they are read, in scratch memory; see XtfFrameColumns. */
typedef struct {
    uint64_t first;
    const uint32_t *offsets;
    const uint64_t *times;
} FrameTimes;

/* Reads the times as offsets, or in full if some offsets do not fit 32 bits. */
static bool read_frame_times(XtfPackReader *reader, uint32_t count, FrameTimes *times)
{
    void *memory = xtf_scratch(XTF_SCRATCH_PACKED, sizeof *times->times * (size_t)count);
    uint32_t *offsets = memory;
    uint64_t *full = memory;
    XtfNumberReader numbers;

    if (!xtf_read_numbers(reader, count, &numbers, NULL))
        return false;
    XtfNumberReader steps = numbers;
    uint64_t first = xtf_next_number(&steps);
    offsets[0] = 0;
    uint64_t last = xtf_sum_numbers(&steps, count - 1, offsets + 1);
    bool narrow = last <= UINT32_MAX && last <= UINT64_MAX - first;
    *times = (FrameTimes){.first = first, .offsets = narrow ? offsets : NULL, .times = full};
    return narrow || xtf_sum_times(&numbers, 0, count, full) || xtf_pack_fail(reader, "its times go backwards");
}

/* Creates columns of frames behind `before` bytes of a new allocation of *size bytes. Leaves out the keys, for which
 * *keys is the space; NULL if the templates have them. */
static uint8_t *create_frames(const XtfReadTemplates *templates, const XtfFrameTemplate *frames,
                              const FrameTimes *times, uint32_t before, uint32_t *size, uint32_t **keys)
{
    size_t count = templates->count;
    size_t times_bytes = count * (times->offsets ? sizeof *times->offsets : sizeof *times->times);
    size_t times_at = before + sizeof(XtfFrameColumns) + templates->n * sizeof *frames,
           keys_at = times_at + times_bytes, numbers_at = keys_at + (*keys ? count * sizeof **keys : 0),
           bytes = numbers_at + count;
    uint8_t *memory = xtf_block_memory_new(bytes);
    XtfFrameColumns *columns = (XtfFrameColumns *)(void *)(memory + before);
    void *own_times = memory + times_at;

    if (*keys)
        *keys = (uint32_t *)(void *)(memory + keys_at);
    memcpy(own_times, times->times, times_bytes);
    *columns = (XtfFrameColumns){
        .count = templates->count,
        .first = times->first,
        .offsets = times->offsets ? own_times : NULL,
        .times = times->offsets ? NULL : own_times,
        .templates = memcpy(columns + 1, frames, templates->n * sizeof *frames),
        .keys = *keys,
        .numbers = memcpy(memory + numbers_at, templates->numbers, count),
    };
    *size = (uint32_t)bytes;
    return memory;
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
    XtfReadTemplates templates = {.schema = schema, .count = count, .n_fields = schema->n_fields - 1};
    XtfFrameTemplate frames[XTF_PACK_TEMPLATES_MAX];
    FrameTimes times;
    uint32_t none, *keys = NULL;
    XTF_AUTO_BLOCK uint8_t *memory = NULL;

    bool success = read_frame_times(&reader, count, &times) && xtf_read_templates(&reader, &templates);
    if (success && map)
        xtf_row_map_apply(map, xtf_fields_in_templates(&templates), true, templates.images, templates.image_size,
                          templates.n);
    if (success && find_frame_templates(&templates, fields, frames)) {
        bool has_column = has_key_column(&templates, fields);
        keys = has_column && !fields->without_keys ? &none : NULL;
        memory = create_frames(&templates, frames, &times, before, size, &keys);
        ((XtfFrameColumns *)(void *)(memory + before))->lacks_keys = has_column && !keys;
        if (keys)
            read_frame_keys(&reader, &templates, map, fields->key, keys);
    }
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
