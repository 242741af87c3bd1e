// Scalar vectors and quaternions, in float for state and in double for set-up and measurement.
#pragma once

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "sinew/math.h"

// No number of a world goes beyond this: its square would leave the range of float.
#define LARGEST_NUMBER 1e18f

typedef struct Vec3d {
    double x, y, z;
} Vec3d;

typedef struct Quatd {
    double x, y, z, w;
} Quatd;

// No component beyond the bound, none that is not a number.
static inline bool sn__within3(SnVec3 v, float bound) {
    return fabsf(v.x) <= bound && fabsf(v.y) <= bound && fabsf(v.z) <= bound;
}

static inline bool sn__finite3(SnVec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

static inline Vec3d vec3d(SnVec3 v) { return (Vec3d){v.x, v.y, v.z}; }
static inline SnVec3 vec3f(Vec3d v) { return (SnVec3){(float)v.x, (float)v.y, (float)v.z}; }
static inline Vec3d addd(Vec3d a, Vec3d b) { return (Vec3d){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline Vec3d subd(Vec3d a, Vec3d b) { return (Vec3d){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline Vec3d scaled(Vec3d a, double s) { return (Vec3d){a.x * s, a.y * s, a.z * s}; }
static inline double dotd(Vec3d a, Vec3d b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline Vec3d crossd(Vec3d a, Vec3d b) {
    return (Vec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double lengthd(Vec3d a) { return sqrt(dotd(a, a)); }
// The same way, but no farther than `most`.
static inline Vec3d shortened(Vec3d a, double most) {
    double length = lengthd(a);
    return length > most ? scaled(a, most / length) : a;
}

static inline Quatd quatd(SnQuat q) { return (Quatd){q.x, q.y, q.z, q.w}; }
static inline SnQuat quatf(Quatd q) {
    return (SnQuat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}
static inline Quatd conjugated(Quatd q) { return (Quatd){-q.x, -q.y, -q.z, q.w}; }
static inline Quatd mulqd(Quatd a, Quatd b) {
    return (Quatd){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                   a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
                   a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
static inline Quatd normalisedq(Quatd q) {
    double n = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (Quatd){q.x * n, q.y * n, q.z * n, q.w * n};
}
static inline Vec3d rotated(Quatd q, Vec3d v) {
    Vec3d u = {q.x, q.y, q.z};
    Vec3d t = scaled(crossd(u, v), 2.0);
    return addd(addd(v, scaled(t, q.w)), crossd(u, t));
}
static inline Vec3d axis_z(Quatd q) { return rotated(q, (Vec3d){0.0, 0.0, 1.0}); }

// The smallest rotation that takes unit vector a to unit vector b; half a turn about any axis
// across them where they are opposite.
static inline Quatd rotation_between(Vec3d a, Vec3d b) {
    // Not a number passes: what became of a broken state is for others to find.
    assert(!(fabs(dotd(a, a) - 1.0) > 1e-3) && !(fabs(dotd(b, b) - 1.0) > 1e-3));
    double c = dotd(a, b);
    if (c < -0.999999) {
        Vec3d other = fabs(a.x) < 0.5 ? (Vec3d){1.0, 0.0, 0.0} : (Vec3d){0.0, 1.0, 0.0};
        Vec3d axis = crossd(a, other);
        return normalisedq((Quatd){axis.x, axis.y, axis.z, 0.0});
    }
    Vec3d axis = crossd(a, b);
    return normalisedq((Quatd){axis.x, axis.y, axis.z, 1.0 + c});
}
