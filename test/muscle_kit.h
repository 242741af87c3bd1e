// What the tests of muscles share: spindles between two frames.
#pragma once

#include "bundle_kit.h"

typedef struct Spindle {
    Bundle shape;
    SnMuscleDef def;
    SnWorld *world;
    SnFrameId origin, insertion;
    SnBodyId muscle;
} Spindle;

static inline void describe_spindle(Spindle *s, int rods, int slices, double slender) {
    memset(s, 0, sizeof *s);
    make_bundle(&s->shape, rods, slices, slender);
    s->def = sn_default_muscle_def();
    s->def.rod_count = rods;
    s->def.slice_count = slices;
    s->def.positions = s->shape.x;
    s->def.radii = s->shape.radius;
    s->def.filter.mask = 0;
}

// The origin at 0, the insertion above it along z: 20 cm, times the size.
static inline void create_spindle_of(Spindle *s, SnWorld *world, double size) {
    s->world = world;
    SnPose pose = sn_pose_identity();
    assert_ok(sn_frame_create(world, pose, &s->origin));
    pose.position = sn_vec3(0.0f, 0.0f, (float)(0.2 * size));
    assert_ok(sn_frame_create(world, pose, &s->insertion));
    s->def.origin = s->origin;
    s->def.insertion = s->insertion;
    assert_ok(sn_muscle_create(world, &s->def, &s->muscle));
}

static inline void create_spindle(Spindle *s, SnWorld *world) { create_spindle_of(s, world, 1.0); }

static inline SnMuscleState read_muscle(const Spindle *s) {
    SnMuscleState state;
    assert_ok(sn_muscle_read(s->world, s->muscle, &state));
    return state;
}

// Mean distance of the fibres of a slice from their centre, m.
static inline double slice_width(const Spindle *s, int slice) {
    RodCopy copy;
    copy_rod(s->world, s->muscle, &copy);
    int n = s->shape.rods;
    Vec3d centre = {0};
    for (int k = 0; k < n; ++k)
        centre = addd(centre, scaled(vec3d(copy.x[bundle_vertex(&s->shape, k, slice)]), 1.0 / n));
    double sum = 0.0;
    for (int k = 0; k < n; ++k)
        sum += lengthd(subd(vec3d(copy.x[bundle_vertex(&s->shape, k, slice)]), centre)) / n;
    return sum;
}

static inline void step_spindle(Spindle *s, int steps) {
    for (int k = 0; k < steps; ++k)
        step_world(s->world, 1.0f / 60.0f, 10, 1);
}
