#include "src/export/cube/metrics.h"

#define METRIC(TAG, unique, PARENT, UNIT, name, description) \
    {unique, XTF_CUBE_##PARENT, XTF_CUBE_##UNIT, name, description},
const XtfCubeMetric xtf_cube_metrics[XTF_N_CUBE_METRICS] = {XTF_CUBE_METRICS(METRIC)};
