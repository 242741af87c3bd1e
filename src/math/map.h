// Affine maps in double: where the axes and the origin of one space are in another.
#pragma once

#include "math/vec.h"
#include "sinew/skeleton.h"

typedef struct Map {
    Vec3d column[4]; // three axes and the origin
} Map;

static inline Map map_identity(void) {
    return (Map){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}}};
}

// A direction, without the origin.
static inline Vec3d map_direction(const Map *m, Vec3d x) {
    return addd(addd(scaled(m->column[0], x.x), scaled(m->column[1], x.y)),
                scaled(m->column[2], x.z));
}

static inline Vec3d map_point(const Map *m, Vec3d x) {
    return addd(map_direction(m, x), m->column[3]);
}

// First the inner one, then the outer one.
static inline Map map_chain(const Map *outer, const Map *inner) {
    Map map;
    for (int c = 0; c < 3; ++c)
        map.column[c] = map_direction(outer, inner->column[c]);
    map.column[3] = map_point(outer, inner->column[3]);
    return map;
}

static inline Map map_of_transform(const SnTransform *t) {
    Quatd turn = normalisedq(quatd(t->rotation));
    return (Map){{rotated(turn, (Vec3d){(double)t->scale.x, 0.0, 0.0}),
                  rotated(turn, (Vec3d){0.0, (double)t->scale.y, 0.0}),
                  rotated(turn, (Vec3d){0.0, 0.0, (double)t->scale.z}), vec3d(t->translation)}};
}

static inline Map map_wide(const SnMap *m) {
    return (Map){{vec3d(m->x), vec3d(m->y), vec3d(m->z), vec3d(m->origin)}};
}

static inline SnMap map_narrow(const Map *m) {
    return (SnMap){vec3f(m->column[0]), vec3f(m->column[1]), vec3f(m->column[2]),
                   vec3f(m->column[3])};
}

// Negative if it mirrors.
static inline double map_volume(const Map *m) {
    return dotd(crossd(m->column[0], m->column[1]), m->column[2]);
}

// The way back. The map must not be flat.
static inline Map map_inverse(const Map *m) {
    double over = 1.0 / map_volume(m);
    Vec3d r[3] = {scaled(crossd(m->column[1], m->column[2]), over),
                  scaled(crossd(m->column[2], m->column[0]), over),
                  scaled(crossd(m->column[0], m->column[1]), over)}; // rows
    Map back = {{{r[0].x, r[1].x, r[2].x}, {r[0].y, r[1].y, r[2].y}, {r[0].z, r[1].z, r[2].z}}};
    back.column[3] = scaled(map_direction(&back, m->column[3]), -1.0);
    return back;
}
