#include "src/tables/views/waits/wait-cells.h"

#include "src/trace/select/aggregate-ref.h"
#include "src/trace/text/escape.h"

size_t xtf_wait_kind_width(const XtfField *event, uint64_t kind)
{
    return kind < event->n_labels ? xtf_text_width(event->labels[kind], true, XTF_STRING_WIDTH_MAX) : 1;
}

void xtf_wait_kind_cell(XtfLines *lines, const XtfField *event, uint64_t kind)
{
    if (kind < event->n_labels)
        xtf_lines_text(lines, event->labels[kind], kind);
    else
        xtf_lines_none(lines);
}

void xtf_wait_region_cell(XtfLines *lines, const XtfField *field, const XtfPaddedNames *regions, uint64_t region)
{
    if (regions && region < regions->n)
        xtf_lines_padded_name(lines, regions, region);
    else if (xtf_key_is_none(field, region))
        xtf_lines_none(lines);
    else
        xtf_lines_word(lines, "?");
}
