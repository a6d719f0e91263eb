#include "src/export/cube/metrics.h"

#include <string.h>

#include "src/model/schemas.h"
#include "src/model/wait-kinds.h"

#define METRIC(TAG, unique, PARENT, UNIT, name, description) \
    {unique, XTF_CUBE_##PARENT, XTF_CUBE_##UNIT, name, description},
const XtfCubeMetric xtf_cube_metrics[XTF_N_CUBE_METRICS] = {XTF_CUBE_METRICS(METRIC)};

int xtf_cube_metric_named(const char *unique)
{
    for (int metric = 0; metric < XTF_N_CUBE_METRICS; metric++) {
        if (strcmp(xtf_cube_metrics[metric].unique, unique) == 0)
            return metric;
    }
    return XTF_CUBE_NONE;
}

const char *xtf_cube_metric_description(const XtfCubeMetric *metric)
{
    for (unsigned i = 0; i < XTF_N_WAIT_KINDS && !metric->description; i++) {
        const XtfWaitKind *kind = &xtf_wait_kinds[i];
        if (kind->cube.amount && strcmp(kind->cube.amount, metric->unique) == 0)
            return kind->sentence;
    }
    return metric->description;
}
