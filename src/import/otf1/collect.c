#include "src/import/otf1/collect.h"

#include <inttypes.h>

void xtf_otf1_definitions_init(XtfOtf1Definitions *source)
{
    *source = (XtfOtf1Definitions){
        .processes = g_array_new(FALSE, FALSE, sizeof(XtfOtf1Process)),
        .groups = g_array_new(FALSE, FALSE, sizeof(XtfOtf1Group)),
        .functions = g_array_new(FALSE, FALSE, sizeof(XtfOtf1Function)),
        .sources = g_array_new(FALSE, FALSE, sizeof(XtfOtf1Source)),
        .counters = g_array_new(FALSE, FALSE, sizeof(XtfOtf1Counter)),
        .collectives = g_array_new(FALSE, FALSE, sizeof(XtfOtf1Collective)),
        .files = g_array_new(FALSE, FALSE, sizeof(XtfOtf1File)),
        .attributed = g_array_new(FALSE, FALSE, sizeof(XtfOtf1Attributed)),
        .assignments = g_array_new(FALSE, FALSE, sizeof(XtfOtf1Group)),
        .names = g_hash_table_new_full(xtf_id_hash64, g_int64_equal, g_free, g_free),
        .attribute_lists = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref),
        .collective_operations = g_hash_table_new(NULL, NULL),
        .float_counters = g_hash_table_new(NULL, NULL),
    };
    xtf_definitions_init(&source->definitions);
}

static void free_lists(GArray *groups)
{
    for (guint i = 0; i < groups->len; i++)
        g_free(g_array_index(groups, XtfOtf1Group, i).members);
    g_array_unref(groups);
}

void xtf_otf1_definitions_finish(XtfOtf1Definitions *source)
{
    g_array_unref(source->processes);
    free_lists(source->groups);
    g_array_unref(source->functions);
    g_array_unref(source->sources);
    g_array_unref(source->counters);
    g_array_unref(source->collectives);
    g_array_unref(source->files);
    g_array_unref(source->attributed);
    free_lists(source->assignments);
    g_hash_table_unref(source->names);
    g_hash_table_unref(source->attribute_lists);
    g_hash_table_unref(source->collective_operations);
    g_hash_table_unref(source->float_counters);
    xtf_definitions_finish(&source->definitions);
}

const char *xtf_otf1_name(const XtfOtf1Definitions *source, XtfOtf1Named kind, uint32_t id)
{
    const uint64_t key = (uint64_t)kind << 32 | id;
    const char *name = g_hash_table_lookup(source->names, &key);

    return name ? name : "";
}

/* ---- Handlers. */

/* Counts a definition, and its list of keys and values, which is left out. */
static XtfOtf1Definitions *note_definition(void *data, uint32_t stream, OTF_KeyValueList *list)
{
    XtfOtf1Definitions *source = data;

    source->count++;
    source->local += stream != 0;
    source->key_values += list && OTF_KeyValueList_getCount(list) > 0;
    return source;
}

/* Returns the id of a text, which need not be UTF-8. */
static uint32_t text_id(XtfOtf1Definitions *source, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);
    return xtf_definitions_intern_string(&source->definitions, valid);
}

static void add_property(XtfOtf1Definitions *source, const char *name, const char *value)
{
    const XtfPropertyRow row = {.name = text_id(source, name), .value = text_id(source, value)};
    xtf_definitions_add_part(&source->definitions, XTF_MODEL_PROPERTIES, &row);
}

static int keep_name(XtfOtf1Definitions *source, XtfOtf1Named kind, uint32_t id, const char *name)
{
    const uint64_t key = (uint64_t)kind << 32 | id;

    if (!g_hash_table_contains(source->names, &key))
        g_hash_table_insert(source->names, g_memdup2(&key, sizeof key), g_utf8_make_valid(name ? name : "", -1));
    return OTF_RETURN_OK;
}

static int on_comment(void *data, uint32_t stream, const char *comment, OTF_KeyValueList *list)
{
    add_property(note_definition(data, stream, list), "comment", comment);
    return OTF_RETURN_OK;
}

static int on_timer_resolution(void *data, uint32_t stream, uint64_t ticks_per_second, OTF_KeyValueList *list)
{
    XtfOtf1Definitions *source = note_definition(data, stream, list);

    if (source->resolution == 0)
        source->resolution = ticks_per_second;
    return OTF_RETURN_OK;
}

static int on_version(void *data, uint32_t stream, uint8_t major, uint8_t minor, uint8_t sub, const char *text,
                      OTF_KeyValueList *list)
{
    XtfOtf1Definitions *source = note_definition(data, stream, list);
    g_autofree char *version =
        g_strdup_printf("%u.%u.%u%s%s", major, minor, sub, text && *text ? " " : "", text ? text : "");

    add_property(source, "otf1.version", version);
    return OTF_RETURN_OK;
}

static int on_creator(void *data, uint32_t stream, const char *creator, OTF_KeyValueList *list)
{
    add_property(note_definition(data, stream, list), "creator", creator);
    return OTF_RETURN_OK;
}

static int on_unique_id(void *data, uint32_t stream, uint64_t uid, OTF_KeyValueList *list)
{
    XtfOtf1Definitions *source = note_definition(data, stream, list);

    source->uid = uid;
    source->has_uid = true;
    return OTF_RETURN_OK;
}

static int on_time_range(void *data, uint32_t stream, uint64_t first, uint64_t last, OTF_KeyValueList *list)
{
    XtfOtf1Definitions *source = note_definition(data, stream, list);
    g_autofree char *range = g_strdup_printf("%" PRIu64 "-%" PRIu64, first, last);

    add_property(source, "otf1.time_range", range);
    return OTF_RETURN_OK;
}

static int on_process(void *data, uint32_t stream, uint32_t id, const char *name, uint32_t parent,
                      OTF_KeyValueList *list)
{
    XtfOtf1Definitions *source = note_definition(data, stream, list);
    const XtfOtf1Process process = {.id = id, .parent = parent, .name = text_id(source, name)};

    g_array_append_val(source->processes, process);
    return OTF_RETURN_OK;
}

static int on_process_group(void *data, uint32_t stream, uint32_t id, const char *name, uint32_t n,
                            const uint32_t *members, OTF_KeyValueList *list)
{
    XtfOtf1Definitions *source = note_definition(data, stream, list);
    const XtfOtf1Group group = {
        .id = id, .name = text_id(source, name), .n = n, .members = g_memdup2(members, (gsize)n * sizeof *members)};

    g_array_append_val(source->groups, group);
    return OTF_RETURN_OK;
}

static int on_attribute_list(void *data, uint32_t stream, uint32_t id, uint32_t n, OTF_ATTR_TYPE *attributes,
                             OTF_KeyValueList *list)
{
    XtfOtf1Definitions *source = note_definition(data, stream, list);
    GArray *copy = g_array_new(FALSE, FALSE, sizeof *attributes);

    g_array_append_vals(copy, attributes, n);
    g_hash_table_insert(source->attribute_lists, GUINT_TO_POINTER(id), copy);
    return OTF_RETURN_OK;
}

static int on_attributes(void *data, uint32_t stream, uint32_t of, uint32_t id, OTF_KeyValueList *list)
{
    const XtfOtf1Attributed attributed = {.of = of, .list = id};

    g_array_append_val(note_definition(data, stream, list)->attributed, attributed);
    return OTF_RETURN_OK;
}

static int on_function(void *data, uint32_t stream, uint32_t id, const char *name, uint32_t group, uint32_t place,
                       OTF_KeyValueList *list)
{
    XtfOtf1Definitions *source = note_definition(data, stream, list);
    const XtfOtf1Function function = {.id = id, .group = group, .source = place, .name = text_id(source, name)};

    g_array_append_val(source->functions, function);
    return OTF_RETURN_OK;
}

static int on_function_group(void *data, uint32_t stream, uint32_t id, const char *name, OTF_KeyValueList *list)
{
    return keep_name(note_definition(data, stream, list), XTF_OTF1_FUNCTION_GROUP, id, name);
}

static int on_collective(void *data, uint32_t stream, uint32_t id, const char *name, uint32_t type,
                         OTF_KeyValueList *list)
{
    XtfOtf1Definitions *source = note_definition(data, stream, list);
    g_autofree char *valid = g_utf8_make_valid(name ? name : "", -1);
    const XtfOtf1Collective collective = {.id = id,
                                          .type = type,
                                          .name = text_id(source, valid),
                                          .text = g_string_chunk_insert_const(source->definitions.texts, valid)};

    g_array_append_val(source->collectives, collective);
    return OTF_RETURN_OK;
}

static int on_counter(void *data, uint32_t stream, uint32_t id, const char *name, uint32_t properties, uint32_t group,
                      const char *unit, OTF_KeyValueList *list)
{
    XtfOtf1Definitions *source = note_definition(data, stream, list);
    const XtfOtf1Counter counter = {.id = id,
                                    .properties = properties,
                                    .group = group,
                                    .unit = text_id(source, unit),
                                    .name = text_id(source, name)};

    g_array_append_val(source->counters, counter);
    if ((properties & OTF_COUNTER_VARTYPE_BITS) == OTF_COUNTER_VARTYPE_FLOAT)
        g_hash_table_add(source->float_counters, GUINT_TO_POINTER(id));
    return OTF_RETURN_OK;
}

static int on_counter_group(void *data, uint32_t stream, uint32_t id, const char *name, OTF_KeyValueList *list)
{
    return keep_name(note_definition(data, stream, list), XTF_OTF1_COUNTER_GROUP, id, name);
}

static int on_counter_assignments(void *data, uint32_t stream, uint32_t counter, uint32_t n, const uint32_t *members,
                                  OTF_KeyValueList *list)
{
    const XtfOtf1Group assignment = {.id = counter, .n = n, .members = g_memdup2(members, (gsize)n * sizeof *members)};

    g_array_append_val(note_definition(data, stream, list)->assignments, assignment);
    return OTF_RETURN_OK;
}

static int on_source(void *data, uint32_t stream, uint32_t id, uint32_t file, uint32_t line, OTF_KeyValueList *list)
{
    const XtfOtf1Source place = {.id = id, .file = file, .line = line};

    g_array_append_val(note_definition(data, stream, list)->sources, place);
    return OTF_RETURN_OK;
}

static int on_source_file(void *data, uint32_t stream, uint32_t id, const char *name, OTF_KeyValueList *list)
{
    return keep_name(note_definition(data, stream, list), XTF_OTF1_SOURCE_FILE, id, name);
}

/* Adds a file, and a handle for it: events name a file, and their handles are not defined. */
static int on_file(void *data, uint32_t stream, uint32_t id, const char *name, uint32_t group, OTF_KeyValueList *list)
{
    XtfOtf1Definitions *source = note_definition(data, stream, list);
    uint32_t text = text_id(source, name);
    const XtfIoFileRow file = {.id = id, .scope = XTF_NONE32, .name = text};
    const XtfIoHandleRow handle = {
        .id = id, .file = id, .io_paradigm = 0, .comm = XTF_NONE32, .parent = XTF_NONE32, .name = text};

    xtf_definitions_add_missing(&source->definitions, XTF_MODEL_IO_FILES, &file);
    xtf_definitions_add_missing(&source->definitions, XTF_MODEL_IO_HANDLES, &handle);
    g_array_append_val(source->files, ((XtfOtf1File){.id = id, .group = group}));
    return OTF_RETURN_OK;
}

static int on_file_group(void *data, uint32_t stream, uint32_t id, const char *name, OTF_KeyValueList *list)
{
    return keep_name(note_definition(data, stream, list), XTF_OTF1_FILE_GROUP, id, name);
}

static int on_key_value(void *data, uint32_t stream, uint32_t key, OTF_Type type, const char *name,
                        const char *description, OTF_KeyValueList *list)
{
    static const uint8_t types[] = {1, 5, 1, 6, 2, 7, 3, 8, 4, 9, 10, 11}; /* by OTF_Type: of xtf_value_types */
    XtfOtf1Definitions *source = note_definition(data, stream, list);
    const XtfAttributeDefinitionRow row = {.id = key,
                                           .type = (unsigned)type < G_N_ELEMENTS(types) ? types[type] : 0,
                                           .description = text_id(source, description),
                                           .name = text_id(source, name)};

    xtf_definitions_add_missing(&source->definitions, XTF_MODEL_ATTRIBUTE_DEFINITIONS, &row);
    return OTF_RETURN_OK;
}

static int on_substitutes(void *data, uint32_t stream, uint32_t representative, uint32_t n, const uint32_t *members,
                          OTF_KeyValueList *list)
{
    note_definition(data, stream, list)->substitutes++;
    return OTF_RETURN_OK;
}

static int on_sample_point(void *data, uint32_t stream, uint64_t time, OTF_AuxSamplePointType type,
                           OTF_KeyValueList *list)
{
    note_definition(data, stream, list)->sample_points++;
    return OTF_RETURN_OK;
}

static int on_marker_kind(void *data, uint32_t stream, uint32_t id, const char *name, uint32_t type,
                          OTF_KeyValueList *list)
{
    static const char *const types[] = {"UNKNOWN", "ERROR", "WARNING", "HINT"};
    g_autofree char *text = g_strdup_printf("%s: %s", types[type < G_N_ELEMENTS(types) ? type : 0], name ? name : "");

    return keep_name(note_definition(data, stream, list), XTF_OTF1_MARKER, id, text);
}

static int on_unknown(void *data, uint64_t time, uint32_t process, const char *record)
{
    ((XtfOtf1Definitions *)data)->unknown++;
    return OTF_RETURN_OK;
}

void xtf_otf1_set_handlers(OTF_HandlerArray *handlers, const XtfOtf1Handler *list, size_t n, void *data)
{
    for (size_t i = 0; i < n; i++) {
        OTF_HandlerArray_setHandler(handlers, list[i].handler, list[i].record);
        OTF_HandlerArray_setFirstHandlerArg(handlers, data, list[i].record);
    }
}

void xtf_otf1_set_definition_handlers(OTF_HandlerArray *handlers, XtfOtf1Definitions *source)
{
    static const XtfOtf1Handler all[] = {
        XTF_OTF1_HANDLER(on_comment, DEFINITIONCOMMENT),
        XTF_OTF1_HANDLER(on_timer_resolution, DEFTIMERRESOLUTION),
        XTF_OTF1_HANDLER(on_version, DEFVERSION),
        XTF_OTF1_HANDLER(on_creator, DEFCREATOR),
        XTF_OTF1_HANDLER(on_unique_id, DEFUNIQUEID),
        XTF_OTF1_HANDLER(on_time_range, DEFTIMERANGE),
        XTF_OTF1_HANDLER(on_process, DEFPROCESS),
        XTF_OTF1_HANDLER(on_process_group, DEFPROCESSGROUP),
        XTF_OTF1_HANDLER(on_attribute_list, DEFATTRLIST),
        XTF_OTF1_HANDLER(on_attributes, DEFPROCESSORGROUPATTR),
        XTF_OTF1_HANDLER(on_substitutes, DEFPROCESSSUBSTITUTES),
        XTF_OTF1_HANDLER(on_function, DEFFUNCTION),
        XTF_OTF1_HANDLER(on_function_group, DEFFUNCTIONGROUP),
        XTF_OTF1_HANDLER(on_collective, DEFCOLLOP),
        XTF_OTF1_HANDLER(on_counter, DEFCOUNTER),
        XTF_OTF1_HANDLER(on_counter_group, DEFCOUNTERGROUP),
        XTF_OTF1_HANDLER(on_counter_assignments, DEFCOUNTERASSIGNMENTS),
        XTF_OTF1_HANDLER(on_source, DEFSCL),
        XTF_OTF1_HANDLER(on_source_file, DEFSCLFILE),
        XTF_OTF1_HANDLER(on_file, DEFFILE),
        XTF_OTF1_HANDLER(on_file_group, DEFFILEGROUP),
        XTF_OTF1_HANDLER(on_key_value, DEFKEYVALUE),
        XTF_OTF1_HANDLER(on_sample_point, DEFAUXSAMPLEPOINT),
        XTF_OTF1_HANDLER(on_marker_kind, DEFMARKER),
        XTF_OTF1_HANDLER(on_unknown, UNKNOWN),
    };

    xtf_otf1_set_handlers(handlers, all, G_N_ELEMENTS(all), source);
}
