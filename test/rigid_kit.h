// What the tests of rigid bodies share.
#pragma once

#include "contact_kit.h"

static inline SnRigidDef ball_def(SnRigidPart *part, SnVec3 at, float radius) {
    *part = sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), radius);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = part;
    def.pose.position = at;
    return def;
}

static inline SnBodyId add_rigid(SnWorld *world, const SnRigidDef *def) {
    SnBodyId id;
    assert_ok(sn_rigid_create(world, def, &id));
    return id;
}

static inline SnBodyId add_ball(SnWorld *world, SnVec3 at, float radius) {
    SnRigidPart part;
    SnRigidDef def = ball_def(&part, at, radius);
    return add_rigid(world, &def);
}

static inline SnRigidState rigid_state(const SnWorld *world, SnBodyId id) {
    SnRigidState state;
    assert_ok(sn_rigid_read(world, id, &state));
    return state;
}
