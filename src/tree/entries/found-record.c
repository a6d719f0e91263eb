#include "src/tree/entries/found-record.h"

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"
#include "src/trace/text/escape.h"

bool xtf_found_record(XtfNode *node, XtfFoundRecord *record, GError **error)
{
    g_autoptr(XtfSelection) selection =
        xtf_selection_in_numbers(node->selection, node->record.number, node->record.number + 1);
    g_autoptr(XtfSpans) spans = xtf_resolver_spans(&node->tree->resolver, selection, error);

    if (!spans)
        return false;
    if (spans->n != 1)
        return xtf_damaged(error, "the trace has fewer records than its index states");
    record->span = spans->spans[0];
    uint64_t n;
    if (!xtf_span_row_number(&record->span, record->span.lo, &n, error) ||
        !xtf_array_row(&record->span.array, n, record->row, error))
        return false;
    record->span.lo = n;
    record->span.hi = n + 1;
    record->span.filter = (XtfGroupFilter){0};
    const XtfSchema *schema = record->span.array.schema;
    record->t = xtf_field_get(&schema->fields[0], record->row);
    record->seq = xtf_row_seq(xtf_schema_field_by_role(schema, XTF_ROLE_SEQ), record->row, record->span.lo);
    return true;
}

void xtf_add_shown_text(GString *out, const char *text, size_t width, bool escape_blanks)
{
    gsize at = out->len;

    g_string_set_size(out, at + width);
    xtf_text_put(out->str + at, width, text, escape_blanks, 0);
}

void xtf_add_whole_text(GString *out, const char *text)
{
    size_t room = XTF_WHOLE_TEXT_MAX - MIN(out->len, (gsize)XTF_WHOLE_TEXT_MAX);

    xtf_add_shown_text(out, text, xtf_text_width(text, false, MAX(room, XTF_STRING_WIDTH_MAX)), false);
}
