// Reading, writing and loading the elements of one rod, and what snapshots and hashes are made of:
// part of the row of rods (kind.c), as body/kind.h has it.
#pragma once

#include "rod/rods.h"

void sn__rod_ends(const Body *body, int segment, int out[2]);
Vec3d sn__rod_vertex(const Body *body, int vertex, double *out_radius);
float sn__rod_rest_radius(const Body *body, int vertex);
void sn__rod_read(const Body *body, const SnBodyState *out);
void sn__rod_write(Body *body, const SnBodyState *state);
void sn__rod_origin(const Body *body, double out[3]);
bool sn__rod_add_force(Body *body, int vertex, SnVec3 force);
bool sn__rod_add_torque(Body *body, int segment, SnVec3 torque);
bool sn__rod_add_radial_force(Body *body, int vertex, float gamma);
void sn__rod_add_impulse(Body *body, int vertex, SnVec3 impulse);
void sn__rod_set_length_scale(Body *body, int first, int count, float length_scale);
// What a segment pulls with beside what its material does: force + viscous × the rate of its length over that at
// rest, the first where it gets shorter and the second where it gets longer. What is swept has no such dampers.
typedef struct RodPull {
    float force;      // N
    float viscous[2]; // N·s, not negative
} RodPull;
void sn__rod_set_pull(Body *body, int segment, RodPull pull);
// Whether it is a bundle that is solved as a whole (slices.h).
bool sn__rod_is_sliced(const Body *body);
void sn__rod_gravity_scale_changed(Body *body);
float sn__rod_length_scale(const Body *body, int segment);
void sn__rod_set_material(Body *body, const SnRodMaterial *material);
const SnRodMaterial *sn__rod_material(const Body *body);
void sn__rod_sleep_changed(Body *body);
float sn__rod_speed(const Body *body);
uint64_t sn__rod_hash(const Body *body, uint64_t hash);
void sn__rods_visit(void *system, BodyVisit *visit, void *context);
void sn__rods_restored(void *system);
