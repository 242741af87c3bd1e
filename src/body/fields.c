#include "body/fields.h"

#include <assert.h>

static double falloff(double distance, double radius) {
    assert(radius > 0.0);
    double d = distance / radius;
    return d < 1.0 ? (1.0 - d * d) * (1.0 - d * d) : 0.0;
}

Vec3d sn__field_acceleration(const SnFieldDef *f, Vec3d x) {
    assert(f->kind != SN_FIELD_WIND);
    Vec3d away = subd(x, vec3d(f->centre)), direction = vec3d(f->direction);
    double strength = (double)f->strength, radius = (double)f->radius;
    if (f->kind == SN_FIELD_POINT) {
        double distance = lengthd(away);
        return scaled(away, strength * falloff(distance, radius) / fmax(distance, 1e-6));
    }
    if (f->kind == SN_FIELD_VORTEX) {
        Vec3d around = crossd(direction, away);
        return scaled(around, strength / radius * falloff(lengthd(around), radius));
    }
    return scaled(direction, strength);
}
