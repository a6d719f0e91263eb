/* Metrics, parameters, samples, and the begin and end of the program. */
#include "all-events.h"

static void emit_metrics(Emitter *emitter)
{
    static const OTF2_Type types[N_METRIC_MEMBERS] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE};
    static const double doubles[] = {0.0, -0.0, 0.1, -1e-300, 1e300, 123456.789, 4e-320};
    OTF2_MetricValue values[N_METRIC_MEMBERS] = {
        {.unsigned_int = emitter_u64(emitter)},
        {.signed_int = emitter_i64(emitter)},
        {.floating_point = doubles[emitter->round % G_N_ELEMENTS(doubles)]},
    };

    EMIT(Metric, METRIC_CLASS, N_METRIC_MEMBERS, types, values);
    values[0].unsigned_int = emitter_u64(emitter);
    EMIT(Metric, METRIC_INSTANCE, N_METRIC_MEMBERS, types, values);
}

static void emit_program(Emitter *emitter)
{
    OTF2_StringRef arguments[3];
    static const char *const texts[] = {"-n", "an argument with spaces", ""};

    for (unsigned i = 0; i < G_N_ELEMENTS(arguments); i++)
        arguments[i] = archive_string(emitter->archive, texts[i]);
    EMIT(ProgramBegin, archive_string(emitter->archive, "program"), emitter_enum(emitter, G_N_ELEMENTS(arguments) + 1),
         arguments);
    EMIT(ProgramEnd, emitter_i64(emitter));
}

static void emit_contexts(Emitter *emitter)
{
    OTF2_CallingContextRef context = emitter_ref(emitter, CONTEXT_FIRST);

    EMIT(CallingContextEnter, context, emitter_u32(emitter));
    EMIT(CallingContextSample, context, emitter_u32(emitter), emitter_ref(emitter, GENERATOR_FIRST));
    EMIT(CallingContextLeave, context);
}

void emit_values(Emitter *emitter)
{
    g_autofree char *text = g_strdup_printf("value %u", emitter->round);

    emit_program(emitter);
    emit_metrics(emitter);
    /* Parameters have the types string, signed and unsigned in turn. */
    EMIT(ParameterString, PARAMETER_FIRST, archive_string(emitter->archive, text));
    EMIT(ParameterInt, PARAMETER_FIRST + 1, emitter_i64(emitter));
    EMIT(ParameterUnsignedInt, PARAMETER_FIRST + 2, emitter_u64(emitter));
    emit_contexts(emitter);
}
