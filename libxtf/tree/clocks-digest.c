#include "libxtf/array.h"
#include "libxtf/base/splitmix.h"
#include "libxtf/trace.h"

enum {
    ARRAYS_PER_READ = 64,
};

static bool is_identity(const XtfClockMap *map)
{
    for (uint32_t i = 0; map && i < map->n_knots; i++)
        if (map->knots[i].local != map->knots[i].global)
            return false;
    return true;
}

uint64_t xtf_clock_map_digest(uint64_t digest, uint64_t location, const XtfClockMap *map)
{
    uint64_t h = xtf_splitmix_step(digest, location);

    if (is_identity(map))
        return xtf_splitmix_step(h, 0);
    h = xtf_splitmix_step(h, map->n_knots);
    for (uint32_t i = 0; i < map->n_knots; i++) {
        h = xtf_splitmix_step(h, map->knots[i].local);
        h = xtf_splitmix_step(h, map->knots[i].global);
        h = xtf_splitmix_step(h, map->knots[i].jumps && i + 1 < map->n_knots);
    }
    return h;
}

bool xtf_trace_clocks_digest(XtfTrace *trace, uint64_t *digest, GError **error)
{
    uint64_t n = xtf_trace_n_arrays(trace), h = 0, last = 0;
    XtfArray arrays[ARRAYS_PER_READ];
    bool any = false;

    for (uint64_t rank = 0; rank < n; rank += ARRAYS_PER_READ) {
        uint64_t count = MIN(n - rank, (uint64_t)ARRAYS_PER_READ);
        if (!xtf_trace_get_arrays(trace, rank, count, arrays, error))
            return false;
        for (uint64_t i = 0; i < count; i++) {
            if (arrays[i].schema->kind != XTF_SCHEMA_RECORD || (any && arrays[i].location == last))
                continue;
            h = xtf_clock_map_digest(h, arrays[i].location, arrays[i].clock);
            last = arrays[i].location;
            any = true;
        }
    }
    *digest = h;
    return true;
}
