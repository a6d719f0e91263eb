#include "src/export/otf2/call-sites.h"

#include "libxtf/trace.h"
#include "src/import/definitions/call-sites.h"

static const XtfModelTable *sites_of(const XtfOtf2Export *export)
{
    return &export->names.tables[XTF_MODEL_SITES].table;
}

bool xtf_otf2_has_sites(const XtfOtf2Export *export)
{
    return sites_of(export)->n > 0 && !export->names.ordered && !export->job->for_scalasca;
}

/* Returns the first id behind the ids of a table. */
static uint32_t first_free_id(const XtfOtf2Export *export, unsigned tag)
{
    const XtfOtf2Table *table = &export->names.tables[tag];
    uint32_t next = 0;

    for (uint64_t i = 0; i < table->table.n && table->ids; i++)
        next = table->ids[i] != UINT32_MAX ? MAX(next, table->ids[i] + 1) : next;
    return next;
}

OTF2_ErrorCode xtf_otf2_add_site(XtfOtf2Export *export, const XtfLocationRecord *enter)
{
    const XtfField *site = xtf_schema_field(enter->schema, "site");

    if (!site || xtf_field_is_none(site, enter->raw) || xtf_field_get(site, enter->raw) >= sites_of(export)->n)
        return OTF2_SUCCESS;
    if (!export->has_site_ids) {
        export->site_attribute = first_free_id(export, XTF_MODEL_ATTRIBUTE_DEFINITIONS);
        export->first_site_location = first_free_id(export, XTF_MODEL_SOURCE_LOCATIONS);
        export->has_site_ids = true;
    }
    const OTF2_AttributeValue value = {.sourceCodeLocationRef =
                                           export->first_site_location + (uint32_t)xtf_field_get(site, enter->raw)};
    return OTF2_AttributeList_AddAttribute(export->attributes, export->site_attribute, OTF2_TYPE_SOURCE_CODE_LOCATION,
                                           value);
}

bool xtf_otf2_define_site_attribute(XtfOtf2Definer *d, GError **error)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;

    if (!d->export->has_site_ids)
        return true;
    uint32_t name = xtf_otf2_define_own(d, "call site", &code);
    uint32_t description = xtf_otf2_define_own(d, "The place from which the region is called", &code);
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteAttribute(d->writer, d->export->site_attribute, name, description,
                                                   OTF2_TYPE_SOURCE_CODE_LOCATION);
    return xtf_otf2_done(d, code, "the attribute of call sites", error);
}

static const char *text_of(XtfOtf2Definer *d, uint32_t text)
{
    const char *words = "";

    if (!d->error)
        xtf_trace_string(d->export->names.trace, text, &words, &d->error);
    return words;
}

bool xtf_otf2_define_site_locations(XtfOtf2Definer *d, GError **error)
{
    uint8_t buffer[XTF_ROW_MAX];

    for (uint64_t i = 0; d->export->has_site_ids && i < sites_of(d->export)->n; i++) {
        const XtfSiteRow *site = xtf_model_table_row(sites_of(d->export), i, buffer);
        bool has_line = site->line != XTF_NONE32;
        OTF2_ErrorCode code = OTF2_SUCCESS;
        /* Readers show "0x1139@program:0" for a site without a line. */
        uint32_t file = xtf_otf2_define_own(d, text_of(d, has_line ? site->file : site->name), &code);
        if (code == OTF2_SUCCESS)
            code = OTF2_GlobalDefWriter_WriteSourceCodeLocation(d->writer, d->export->first_site_location + (uint32_t)i,
                                                                file, has_line ? site->line : 0);
        if (!xtf_otf2_done(d, code, "the place of a call site", error))
            return false;
    }
    return true;
}

static OTF2_ErrorCode define_text_property(XtfOtf2Definer *d, uint32_t context, XtfSiteProperty property,
                                           const char *text)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;

    if (text[0] == '\0')
        return code;
    uint32_t name = xtf_otf2_define_own(d, xtf_site_properties[property], &code);
    const OTF2_AttributeValue value = {.stringRef = xtf_otf2_define_own(d, text, &code)};
    return code != OTF2_SUCCESS
               ? code
               : OTF2_GlobalDefWriter_WriteCallingContextProperty(d->writer, context, name, OTF2_TYPE_STRING, value);
}

static OTF2_ErrorCode define_offset(XtfOtf2Definer *d, uint32_t context, uint64_t offset)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;

    if (offset == XTF_NONE64)
        return code;
    uint32_t name = xtf_otf2_define_own(d, xtf_site_properties[XTF_SITE_OFFSET], &code);
    const OTF2_AttributeValue value = {.uint64 = offset};
    return code != OTF2_SUCCESS
               ? code
               : OTF2_GlobalDefWriter_WriteCallingContextProperty(d->writer, context, name, OTF2_TYPE_UINT64, value);
}

static OTF2_ErrorCode define_context(XtfOtf2Definer *d, uint32_t context, uint32_t location, const XtfSiteRow *site)
{
    const char *texts[XTF_SITE_OFFSET] = {
        [XTF_SITE_FUNCTION] = text_of(d, site->function), [XTF_SITE_INLINED_INTO] = text_of(d, site->inlined_into),
        [XTF_SITE_OBJECT] = text_of(d, site->object),     [XTF_SITE_BUILD_ID] = text_of(d, site->build_id),
        [XTF_SITE_NAME] = text_of(d, site->name),
    };
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteCallingContext(
        d->writer, context, xtf_otf2_region(&d->export->names, site->region), location, OTF2_UNDEFINED_CALLING_CONTEXT);

    for (unsigned i = 0; i < G_N_ELEMENTS(texts) && code == OTF2_SUCCESS; i++)
        code = define_text_property(d, context, (XtfSiteProperty)i, texts[i]);
    return code != OTF2_SUCCESS ? code : define_offset(d, context, site->offset);
}

bool xtf_otf2_define_site_contexts(XtfOtf2Definer *d, GError **error)
{
    uint32_t first = first_free_id(d->export, XTF_MODEL_CALLING_CONTEXTS);
    uint8_t buffer[XTF_ROW_MAX];

    for (uint64_t i = 0; d->export->has_site_ids && i < sites_of(d->export)->n; i++) {
        const XtfSiteRow *site = xtf_model_table_row(sites_of(d->export), i, buffer);
        if (site->region >= d->export->names.tables[XTF_MODEL_REGIONS].table.n)
            continue;
        xtf_otf2_region(&d->export->names, site->region); /* a region without records gets its id here */
        if (!xtf_otf2_define_regions(d, error))
            return false;
        uint32_t location = d->export->first_site_location + (uint32_t)i;
        if (!xtf_otf2_done(d, define_context(d, first + (uint32_t)i, location, site), "a call site", error))
            return false;
    }
    return true;
}
