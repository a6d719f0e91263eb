#include "src/tables/views/state/task-figures.h"

#include "src/model/schemas.h"

const char *const xtf_task_columns[XTF_N_TASK_STATES] = {"tasks_S", "tasks_P", "tasks_X", "tasks_I",
                                                         "tasks_A", "tasks_W", "tasks_F"};

const char *const xtf_task_names[XTF_N_TASK_STATES] = {"started", "prenatal",  "exported", "imported",
                                                       "active",  "suspended", "finished"};

G_STATIC_ASSERT(XTF_TASKS_STARTED == (int)XTF_LABEL_started && XTF_TASKS_PRENATAL == (int)XTF_LABEL_prenatal &&
                XTF_TASKS_EXPORTED == (int)XTF_LABEL_exported && XTF_TASKS_IMPORTED == (int)XTF_LABEL_imported &&
                XTF_TASKS_ACTIVE == (int)XTF_LABEL_active && XTF_TASKS_SUSPENDED == (int)XTF_LABEL_suspended &&
                XTF_TASKS_FINISHED == (int)XTF_LABEL_finished);

/* States that tasks leave again. A sample has the number of tasks in the state at its time. */
static const unsigned temporary_states[] = {XTF_TASKS_PRENATAL, XTF_TASKS_ACTIVE, XTF_TASKS_SUSPENDED};

static const char *const time_fields[] = {"tasks", "idle", "sched", "mpi", NULL};
static const char *const message_fields[] = {"bytes_sent", "messages_sent", "bytes_received", "messages_received",
                                             NULL};
static const char *const state_fields[] = {"count", NULL};

static bool find_samples(XtfSamples *samples, const XtfTraceContext *context, unsigned tag, const char *const *fields)
{
    return xtf_samples_init(samples, context, xtf_model_schema(tag)->name, fields);
}

bool xtf_task_samples_find(XtfTaskSamples *samples, const XtfTraceContext *context)
{
    *samples = (XtfTaskSamples){0};
    samples->has_times = find_samples(&samples->times, context, XTF_MODEL_RESOURCES, time_fields);
    samples->has_messages = find_samples(&samples->messages, context, XTF_MODEL_MESSAGE_TOTALS, message_fields);
    samples->has_tasks = find_samples(&samples->states, context, XTF_MODEL_TASK_STATES, state_fields) &&
                         samples->states.ref.event == 0 && samples->states.ref.aggregate->n_keys == 2;
    return samples->has_times || samples->has_messages || samples->has_tasks;
}

void xtf_task_samples_finish(XtfTaskSamples *samples)
{
    xtf_location_arrays_finish(&samples->arrays);
}

/* ---- One location. */

static void add_times(const uint64_t *key, const uint64_t *growth, void *data)
{
    for (unsigned i = 0; i < XTF_N_SAMPLED_TIMES; i++)
        ((XtfTaskFigures *)data)->times[i] += growth[i];
}

static void add_messages(const uint64_t *key, const uint64_t *growth, void *data)
{
    for (unsigned i = 0; i < XTF_N_SAMPLED_MESSAGES; i++)
        ((XtfTaskFigures *)data)->messages[i] += growth[i];
}

static void add_so_far(const uint64_t *key, const uint64_t *growth, void *data)
{
    ((XtfTaskFigures *)data)->sent_so_far += growth[XTF_SAMPLED_BYTES_SENT];
}

static bool is_temporary(uint64_t state)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(temporary_states); i++)
        if (temporary_states[i] == state)
            return true;
    return false;
}

static void add_tasks(const uint64_t *key, const uint64_t *growth, void *data)
{
    if (key[0] < XTF_N_TASK_STATES && !is_temporary(key[0]))
        ((XtfTaskFigures *)data)->tasks[key[0]] += growth[0];
}

static bool count_temporary_tasks(XtfTaskSamples *samples, uint64_t to, XtfTaskFigures *figures, GError **error)
{
    const XtfField *count =
        samples->states.cells[0] ? xtf_aggregate_ref_value(&samples->states.ref, samples->states.cells[0]) : NULL;
    uint8_t row[XTF_ROW_MAX];
    bool found;

    for (unsigned i = 0; count && i < G_N_ELEMENTS(temporary_states); i++) {
        const uint64_t key[] = {temporary_states[i], XTF_NONE32};
        if (!xtf_samples_last(&samples->states, &samples->arrays, key, to, row, &found, error))
            return false;
        figures->tasks[temporary_states[i]] += found ? xtf_field_get(count, row) : 0;
    }
    return true;
}

static bool add_location_figures(XtfTaskSamples *samples, uint64_t from, uint64_t to, XtfTaskFigures *figures,
                                 GError **error)
{
    const XtfLocationArrays *arrays = &samples->arrays;

    if (samples->has_times && !xtf_samples_growth(&samples->times, arrays, from, to, add_times, figures, error))
        return false;
    if (samples->has_messages &&
        (!xtf_samples_growth(&samples->messages, arrays, from, to, add_messages, figures, error) ||
         !xtf_samples_growth(&samples->messages, arrays, 0, to, add_so_far, figures, error)))
        return false;
    return !samples->has_tasks || (xtf_samples_growth(&samples->states, arrays, from, to, add_tasks, figures, error) &&
                                   count_temporary_tasks(samples, to, figures, error));
}

bool xtf_task_samples_of(XtfTaskSamples *samples, const XtfTraceContext *context, const XtfSelectedLocations *selected,
                         const XtfSelectedProcess *proc, uint64_t from, uint64_t to, XtfTaskFigures *figures,
                         GError **error)
{
    *figures = (XtfTaskFigures){0};
    for (uint32_t i = proc->first; i < proc->first + proc->n; i++) {
        if (!xtf_location_arrays_load(&samples->arrays, context, xtf_selected_location(selected, i), error) ||
            !add_location_figures(samples, from, to, figures, error))
            return false;
    }
    return true;
}
