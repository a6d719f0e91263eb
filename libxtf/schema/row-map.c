#include "libxtf/schema/row-map.h"

#include "libxtf/base/le.h"

/* Converts a U32 field of `count` rows to the file's row numbers: the most frequent case. */
static void map_rows_of_u32(const XtfNumberMap *map, uint8_t *at, size_t stride, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, at += stride)
        xtf_store32(at, (uint32_t)xtf_number_map(map, xtf_load32(at)));
}

static void map_field(const XtfSchema *schema, const XtfFieldMap *map, uint8_t *rows, size_t stride, uint32_t count)
{
    const XtfField *field = &schema->fields[map->field];
    const XtfField *chooser = map->chooser < 0 ? NULL : &schema->fields[map->chooser];

    if (!chooser && !map->numbers.strings && field->type == XTF_TYPE_U32) {
        map_rows_of_u32(&map->numbers, rows + field->offset, stride, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++, rows += stride) {
        if (chooser && xtf_field_get(chooser, rows) != map->choice)
            continue;
        if (!xtf_field_is_none(field, rows))
            xtf_field_set(field, rows, xtf_number_map(&map->numbers, xtf_field_get(field, rows)));
    }
}

static bool set_contains_map(XtfFieldSet set, const XtfFieldMap *map)
{
    return set >> map->field & 1 && (map->chooser < 0 || set >> map->chooser & 1);
}

void xtf_row_map_apply(const XtfRowMap *map, XtfFieldSet set, bool inside, uint8_t *rows, size_t stride, uint32_t count)
{
    for (unsigned i = 0; i < map->n; i++)
        if (set_contains_map(set, &map->fields[i]) == inside)
            map_field(map->schema, &map->fields[i], rows, stride, count);
}

const XtfNumberMap *xtf_row_map_of_key(const XtfRowMap *map, uint32_t field)
{
    for (unsigned i = 0; i < map->n; i++)
        if (map->fields[i].field == field && map->fields[i].chooser < 0)
            return &map->fields[i].numbers;
    return NULL;
}

bool xtf_row_map_changes(const XtfRowMap *map, const uint8_t *fields, unsigned n)
{
    for (unsigned i = 0; i < map->n; i++)
        if (memchr(fields, (int)map->fields[i].field, n))
            return true;
    return false;
}
