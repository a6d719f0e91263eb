#include "pick.h"

#include <string.h>

uint64_t pick_end_of(const Run *run)
{
    uint64_t last = 0;

    for (unsigned i = 0; i < run->n_locations; i++) {
        const GArray *events = run->locations[i].events;
        if (events->len)
            last = MAX(last, g_array_index(events, RunEvent, events->len - 1).t);
    }
    return last + 1;
}

static void add_window(Run *run, Pick *pick)
{
    uint64_t end = pick_end_of(run), width = end >> g_rand_int_range(run->random, 0, 12);

    pick->a = (uint64_t)g_rand_double_range(run->random, 0, (double)end);
    pick->b = MIN(pick->a + width, end);
    if (g_rand_int_range(run->random, 0, 8) == 0)
        pick->b = pick->a;
    g_string_append_printf(pick->path, "/time/%lu.%09lu-%lu.%09lu", pick->a / 1000000000, pick->a % 1000000000,
                           pick->b / 1000000000, pick->b % 1000000000);
}

Pick pick_all(const Run *run)
{
    return (Pick){g_string_new(NULL), 0, pick_end_of(run), -1, -1, -1};
}

Pick pick_random(Run *run)
{
    Pick pick = pick_all(run);
    gint32 n = (gint32)run->recipe.n_procs;

    if (g_rand_int_range(run->random, 0, 6))
        add_window(run, &pick);
    switch (g_rand_int_range(run->random, 0, 4)) {
    case 0:
        pick.proc = pick.proc_last = g_rand_int_range(run->random, 0, n);
        g_string_append_printf(pick.path, "/proc/%d", pick.proc);
        break;
    case 1:
        pick.proc = g_rand_int_range(run->random, 0, n);
        pick.proc_last = g_rand_int_range(run->random, pick.proc, n);
        g_string_append_printf(pick.path, "/proc/%d-%d", pick.proc, pick.proc_last);
        break;
    case 2:
        pick.thread = g_rand_int_range(run->random, 0, 2);
        g_string_append_printf(pick.path, "/thread/%d", pick.thread);
        break;
    default:
        break;
    }
    return pick;
}

bool pick_takes(const Pick *pick, const RunLocation *location)
{
    return (pick->proc < 0 || ((gint32)location->proc >= pick->proc && (gint32)location->proc <= pick->proc_last)) &&
           (pick->thread < 0 || (gint32)location->thread == pick->thread);
}

bool pick_in_window(const Pick *pick, const RunEvent *event)
{
    return event->t >= pick->a && event->t < pick->b;
}

/* ---- Lines: their cells with one blank between. */

GPtrArray *pick_read_lines(Run *run, const Pick *pick, const char *view, const char *header)
{
    g_autofree char *path = g_strconcat(pick->path->str, "/", view, NULL);
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    GString *text = run_read(run, path);
    size_t width = strchr(text->str, '\n') - text->str + 1;

    cr_assert_eq(text->len % width, 0, "%s", path);
    for (size_t at = 0; at < text->len; at += width) {
        g_autoptr(GString) line = g_string_new(NULL);
        cr_assert_eq(text->str[at + width - 1], '\n', "%s, line %zu", path, at / width);
        for (const char *p = text->str + at; *p != '\n'; p++) {
            if (*p != ' ' || (line->len && line->str[line->len - 1] != ' '))
                g_string_append_c(line, *p);
        }
        g_ptr_array_add(lines, g_strchomp(g_strdup(line->str)));
    }
    cr_assert_str_eq(lines->pdata[0], header);
    g_ptr_array_remove_index(lines, 0);
    g_string_free(text, TRUE);
    return lines;
}

const char *line_at(const GPtrArray *lines, unsigned i)
{
    return lines->pdata[i];
}

char *seconds(uint64_t ticks)
{
    return g_strdup_printf("%lu.%09lu", ticks / 1000000000, ticks % 1000000000);
}
