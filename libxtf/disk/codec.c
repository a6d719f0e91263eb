#include "libxtf/disk/codec.h"

#include "libxtf/disk/format.h"
#include "libxtf/pack/pack.h"
#include "libxtf/pack/sampled-times.h"

static uint64_t plain_bound(const XtfSchema *schema, uint32_t count)
{
    return (uint64_t)count * schema->row_size;
}

static uint32_t plain_pack(const XtfSchema *schema, const uint8_t *rows, uint32_t count, unsigned level, uint8_t *out,
                           uint32_t room, XtfPackForecast *forecast)
{
    uint64_t length = plain_bound(schema, count);

    if (length <= room) {
        memcpy(out, rows, length);
        return (uint32_t)length;
    }
    if (forecast)
        forecast->estimate = (uint32_t)MIN(length, UINT32_MAX);
    return 0;
}

static bool plain_fills(const XtfSchema *schema, uint32_t length, uint32_t count, const char **fault)
{
    if (plain_bound(schema, count) == length)
        return true;
    *fault = "its rows do not fill it";
    return false;
}

static bool plain_unpack_rows(const XtfSchema *schema, const XtfRowMap *map, const uint8_t *packed, uint32_t length,
                              uint32_t count, uint8_t *rows, const char **fault)
{
    if (!plain_fills(schema, length, count, fault))
        return false;
    memcpy(rows, packed, length);
    if (map)
        xtf_row_map_apply_all(map, rows, count);
    return true;
}

static const XtfSampledTimes *cast_times(const XtfCodecTimes *times)
{
    return (const XtfSampledTimes *)(const void *)times;
}

static uint64_t compact_time_at(const XtfCodecTimes *times, uint32_t i)
{
    return xtf_sampled_times_at(cast_times(times), i);
}

static uint32_t compact_times_rank(const XtfCodecTimes *times, uint64_t t, uint64_t *comparisons)
{
    return xtf_sampled_times_rank(cast_times(times), t, comparisons);
}

static const XtfCodec codecs[] = {
    [XTF_CODEC_PLAIN] =
        {
            .name = "plain",
            .side_by_side = true,
            .bound = plain_bound,
            .pack = plain_pack,
            .unpack_rows = plain_unpack_rows,
        },
    [XTF_CODEC_COMPACT] =
        {
            .name = "compact",
            .feature = XTF_FEATURE_COMPACT,
            .bound = xtf_pack_bound,
            .pack = xtf_pack,
            .unpack_times = xtf_sampled_times_unpack,
            .time_at = compact_time_at,
            .times_rank = compact_times_rank,
            .unpack_zeros = xtf_unpack_zeros,
            .unpack_frames = xtf_unpack_frames,
            .unpack_columns = xtf_unpack_columns,
            .unpack_sums = xtf_unpack_sums,
            .unpack_rows = xtf_unpack_mapped,
        },
};

const XtfCodec *xtf_codec(unsigned id)
{
    return id < G_N_ELEMENTS(codecs) ? &codecs[id] : NULL;
}

enum { DEFAULT_CODEC = XTF_CODEC_COMPACT };

const char *const *xtf_codec_names(void)
{
    static const char *names[G_N_ELEMENTS(codecs) + 1];
    static gsize initialized;

    if (g_once_init_enter(&initialized)) {
        unsigned n = 0;
        names[n++] = codecs[DEFAULT_CODEC].name;
        for (unsigned i = 0; i < G_N_ELEMENTS(codecs); i++) {
            if (i != DEFAULT_CODEC)
                names[n++] = codecs[i].name;
        }
        g_once_init_leave(&initialized, 1);
    }
    return names;
}

bool xtf_codec_find(const char *name, XtfCodecId *id)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(codecs); i++) {
        if (name ? g_str_equal(codecs[i].name, name) : i == DEFAULT_CODEC) {
            *id = (XtfCodecId)i;
            return true;
        }
    }
    return false;
}

const XtfCodec *xtf_codec_of_features(uint64_t features)
{
    unsigned i = G_N_ELEMENTS(codecs) - 1;

    while (i > XTF_CODEC_PLAIN && !(features & codecs[i].feature))
        i--;
    return &codecs[i];
}

uint64_t xtf_codec_features(void)
{
    uint64_t features = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(codecs); i++)
        features |= codecs[i].feature;
    return features;
}
