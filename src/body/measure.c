#include "body/kind.h"

#include "body/fields.h"

SnMeasures sn__body_measures(const BodySums *sums) {
    SnMeasures m = sums->m;
    m.volume_error_mean = sums->segments ? sums->volume_error_sum / (double)sums->segments : 0.0;
    m.energy_elastic = m.energy_stretch + m.energy_shear + m.energy_bend + m.energy_twist +
                       m.energy_scale + m.energy_volume;
    double total = sums->residual[1];
    m.residual = total > 0.0 ? sqrt(sums->residual[0] / total) : 0.0;
    return m;
}

Vec3d sn__held_pull(const HeldQuestion *question, double gravity_scale, Vec3d x) {
    Vec3d a = scaled(vec3d(question->gravity), gravity_scale);
    for (int k = 0; k < question->field_count; ++k)
        a = addd(a, sn__field_acceleration(&question->fields[k], x));
    return a;
}
