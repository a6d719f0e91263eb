#include "src/import/report.h"

void xtf_import_report_init(XtfImportReport *report)
{
    *report = (XtfImportReport){
        .counts = g_array_new(FALSE, FALSE, sizeof(XtfImportCount)),
        .left_out = g_ptr_array_new_with_free_func(g_free),
        .warnings = g_ptr_array_new_with_free_func(g_free),
        .repaired = g_ptr_array_new_with_free_func(g_free),
    };
}

void xtf_import_report_finish(XtfImportReport *report)
{
    g_clear_pointer(&report->counts, g_array_unref);
    g_clear_pointer(&report->left_out, g_ptr_array_unref);
    g_clear_pointer(&report->warnings, g_ptr_array_unref);
    g_clear_pointer(&report->repaired, g_ptr_array_unref);
}

static GVariant *pack_texts(const GPtrArray *texts)
{
    return g_variant_new_strv((const char *const *)texts->pdata, texts->len);
}

GVariant *xtf_import_report_pack(const XtfImportReport *report)
{
    GVariantBuilder counts;

    g_variant_builder_init(&counts, G_VARIANT_TYPE("a(sstt)"));
    for (guint i = 0; i < report->counts->len; i++) {
        const XtfImportCount *count = &g_array_index(report->counts, XtfImportCount, i);
        g_variant_builder_add(&counts, "(sstt)", count->event, count->type, count->read, count->kept);
    }
    return g_variant_new("(@a(sstt)@as@as@asttttt)", g_variant_builder_end(&counts), pack_texts(report->left_out),
                         pack_texts(report->warnings), pack_texts(report->repaired), report->read, report->kept,
                         report->left_out_events, report->locations, report->definitions);
}

static void unpack_texts(GPtrArray *texts, GVariantIter *packed)
{
    char *text;

    while (g_variant_iter_next(packed, "s", &text))
        g_ptr_array_add(texts, text);
}

void xtf_import_report_unpack(XtfImportReport *report, GVariant *packed)
{
    g_autoptr(GVariantIter) counts = NULL, left_out = NULL, warnings = NULL, repaired = NULL;
    const char *event, *type;
    XtfImportCount count;

    g_variant_get(packed, XTF_REPORT_FORMAT, &counts, &left_out, &warnings, &repaired, &report->read, &report->kept,
                  &report->left_out_events, &report->locations, &report->definitions);
    while (g_variant_iter_next(counts, "(&s&stt)", &event, &type, &count.read, &count.kept)) {
        count.event = g_intern_string(event);
        count.type = g_intern_string(type);
        g_array_append_val(report->counts, count);
    }
    unpack_texts(report->left_out, left_out);
    unpack_texts(report->warnings, warnings);
    unpack_texts(report->repaired, repaired);
}
