#include "src/model/schemas.h"

#define LABEL(name) #name,
#define EVENT_LABELS(TAG, array, Type) \
    static const char *const xtf_##array##_events[] = {XTF_##TAG##_EVENTS(LABEL) NULL};
XTF_RECORD_TYPES(EVENT_LABELS)

#define END_OF_FIELDS                      \
    {                                      \
        NULL, 0, NULL, NULL, NULL, 0, NULL \
    }
#define SPECS(TAG, array, Type) \
    static const XtfFieldSpec array##_specs[] = {XTF_##TAG##_FIELDS(XTF_SPEC) END_OF_FIELDS};
#define RECORD_SPECS(TAG, array, Type) SPECS(TAG, array##_record, Type)
#define SIDE_SPECS(TAG, array, Type)   SPECS(TAG, array##_side, Type)
#define TABLE_SPECS(TAG, array, Type)  SPECS(TAG, array##_table, Type)
XTF_RECORD_TYPES(RECORD_SPECS)
XTF_SIDE_TYPES(SIDE_SPECS)
XTF_TABLE_TYPES(TABLE_SPECS)

static const struct {
    const char *name;
    XtfSchemaKind kind;
    const XtfFieldSpec *fields;
    size_t row_size;
} declarations[XTF_N_MODEL_SCHEMAS] = {
#define RECORD(TAG, array, Type) {#array, XTF_SCHEMA_RECORD, array##_record_specs, sizeof(Xtf##Type##Row)},
#define SIDE(TAG, array, Type)   {#array, XTF_SCHEMA_SIDE, array##_side_specs, sizeof(Xtf##Type##Row)},
#define TABLE(TAG, array, Type)  {#array, XTF_SCHEMA_TABLE, array##_table_specs, sizeof(Xtf##Type##Row)},
    XTF_RECORD_TYPES(RECORD) XTF_SIDE_TYPES(SIDE) XTF_TABLE_TYPES(TABLE)};

static gpointer make_all(gpointer unused)
{
    XtfSchema **schemas = g_new0(XtfSchema *, XTF_N_MODEL_SCHEMAS);

    for (unsigned i = 0; i < XTF_N_MODEL_SCHEMAS; i++) {
        g_autoptr(GError) error = NULL;
        schemas[i] = xtf_schema_new(declarations[i].name, declarations[i].kind, declarations[i].fields, &error);
        /* Nothing but this file's own content decides these. */
        if (schemas[i] == NULL)
            g_error("schema %s: %s", declarations[i].name, error->message);
        g_assert(schemas[i]->row_size == declarations[i].row_size);
    }
    return schemas;
}

const XtfSchema *xtf_model_schema(unsigned tag)
{
    static GOnce once = G_ONCE_INIT;
    XtfSchema **schemas = g_once(&once, make_all, NULL);

    return schemas[tag];
}
