#include "src/trace/context/member-ranges.h"

#include "libxtf/trace.h"
#include "src/trace/text/digits.h"

/* Computes ranges->runs from the last row to the first. A run is one longer than the next row's if the next row has the
 * following process; else it is 1. */
static void find_runs(XtfMemberRanges *ranges)
{
    uint64_t n = ranges->ranks->members ? ranges->ranks->members->n_rows : 0, proc, next = 0;
    bool has_next = false;

    ranges->runs = g_new(uint32_t, n + 1);
    for (uint64_t i = n; i-- > 0;) {
        bool known = xtf_ranks_member_proc(ranges->ranks, i, &proc);
        bool continues = known && has_next && next == proc + 1 && ranges->runs[i + 1] < UINT32_MAX;
        ranges->runs[i] = continues ? ranges->runs[i + 1] + 1 : 1;
        has_next = known;
        next = proc;
    }
}

static void append_proc(GString *text, uint64_t number)
{
    char digits[20], *end = digits + sizeof digits, *begin = xtf_put_digits(end, number);
    g_string_append_len(text, begin, end - begin);
}

static void append_run(const XtfMemberRanges *ranges, uint64_t row, uint64_t n, GString *text)
{
    uint64_t proc;

    if (text->len)
        g_string_append_c(text, ',');
    if (!xtf_ranks_member_proc(ranges->ranks, row, &proc)) {
        g_string_append_c(text, '?');
        return;
    }
    append_proc(text, proc);
    if (n == 1)
        return;
    g_string_append_c(text, '-');
    append_proc(text, proc + n - 1);
}

bool xtf_member_ranges_text(const XtfMemberRanges *ranges, uint64_t comm, XtfMemberGroup group, size_t most,
                            GString *text)
{
    uint64_t first[XTF_N_MEMBER_GROUPS], n[XTF_N_MEMBER_GROUPS];

    g_string_truncate(text, 0);
    if (!xtf_ranks_groups(ranges->ranks, comm, first, n) || (group == XTF_MEMBERS_REMOTE && n[group] == 0))
        return false;
    for (uint64_t row = first[group], end = row + n[group], run; row < end; row += run) {
        if (text->len > most) {
            g_string_append(text, ",...");
            break;
        }
        run = MIN((uint64_t)ranges->runs[row], end - row);
        append_run(ranges, row, run, text);
    }
    return true;
}

void xtf_member_ranges_load(XtfMemberRanges *ranges, const XtfRanks *ranks)
{
    g_autoptr(GString) text = g_string_new(NULL);
    uint64_t n_comms = ranks->comms ? ranks->comms->n_rows : 0, n;

    *ranges = (XtfMemberRanges){.ranks = ranks, .most = 1};
    find_runs(ranges);
    for (uint64_t comm = 0; comm < n_comms; comm++) {
        for (unsigned group = 0; group < XTF_N_MEMBER_GROUPS; group++) {
            if (xtf_member_ranges_text(ranges, comm, (XtfMemberGroup)group, XTF_MEMBER_TEXT_MAX, text))
                ranges->width[group] = MAX(ranges->width[group], MIN(text->len, (gsize)XTF_MEMBER_TEXT_MAX));
        }
        if (xtf_ranks_count_members(ranks, comm, &n))
            ranges->most = MAX(ranges->most, n);
    }
}

void xtf_member_ranges_finish(XtfMemberRanges *ranges)
{
    g_clear_pointer(&ranges->runs, g_free);
}
