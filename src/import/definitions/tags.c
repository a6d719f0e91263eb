#include "src/import/definitions/tags.h"

void xtf_tags_init(XtfTags *tags)
{
    *tags = (XtfTags){.greatest = UINT32_MAX - 1};
    tags->recent[0] = 1; /* must not match tag 0; the zeros in all other entries match no tag of their index */
    xtf_id_map_init(&tags->tags);
}

void xtf_tags_finish(XtfTags *tags)
{
    xtf_id_map_finish(&tags->tags);
}

static int compare_tags(gconstpointer a, gconstpointer b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static GArray *sort_tags(const XtfTags *tags)
{
    GArray *list = xtf_id_map_keys(&tags->tags);

    g_array_sort(list, compare_tags);
    return list;
}

GArray *xtf_tags_list(XtfTags *tags)
{
    GArray *list = sort_tags(tags);

    if (list->len <= XTF_TAGS_MAX)
        return list;
    g_array_set_size(list, XTF_TAGS_MAX);
    tags->greatest = g_array_index(list, uint32_t, XTF_TAGS_MAX - 1);
    tags->has_more = true;
    xtf_id_map_finish(&tags->tags);
    xtf_id_map_init(&tags->tags);
    for (guint i = 0; i < list->len; i++)
        xtf_id_map_insert(&tags->tags, g_array_index(list, uint32_t, i), 0);
    return list;
}

void xtf_tags_add_new(XtfTags *tags, uint32_t tag)
{
    if (tag > tags->greatest) {
        tags->has_more = true;
        return;
    }
    tags->recent[tag % XTF_TAGS_RECENT] = tag;
    xtf_id_map_insert(&tags->tags, tag, 0);
    if (tags->tags.count >= 2 * XTF_TAGS_MAX)
        g_array_unref(xtf_tags_list(tags));
}

void xtf_tags_add_all(XtfTags *tags, const XtfTags *from)
{
    for (uint32_t i = 0; i < UINT32_C(1) << from->tags.bits; i++)
        if (from->tags.slots[2 * i + 1] != 0)
            xtf_tags_add_new(tags, from->tags.slots[2 * i]);
    tags->has_more |= from->has_more;
}
