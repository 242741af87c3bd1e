#include "body/kind.h"

SnMeasures sn__body_measures(const BodySums *sums) {
    SnMeasures m = sums->m;
    m.volume_error_mean = sums->segments ? sums->volume_error_sum / (double)sums->segments : 0.0;
    double total = sums->residual[1];
    m.residual = total > 0.0 ? sqrt(sums->residual[0] / total) : 0.0;
    return m;
}
