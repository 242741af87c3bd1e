// Random calls of the API: the bytes are a list of calls with arguments, many of which are nonsense. Nothing
// crashes, every step leaves a finite world, ids that are gone are refused, and a snapshot that was taken
// restores to the same hash.
#include <sinew/sinew.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST 24 // ids of a kind that are kept

typedef struct Calls {
    const uint8_t *at, *end;
    SnWorld *world;
    SnBodyId bodies[MOST];
    SnFrameId frames[MOST];
    SnColliderId colliders[MOST];
    SnLinkId links[MOST];
    SnHingeId hinges[MOST];
    SnAttachmentId attachments[MOST];
    SnFieldId fields[MOST];
    int made; // of all kinds, for the place of the next id
} Calls;

static void require(bool holds) {
    if (!holds)
        abort();
}

static unsigned byte(Calls *c) { return c->at < c->end ? *c->at++ : 0; }

// Mostly small, sometimes huge, tiny, negative or no number at all.
static float number(Calls *c) {
    unsigned kind = byte(c), value = byte(c);
    float x = ((float)value - 128.0f) / 64.0f;
    switch (kind % 16) {
    case 0:
        return x * 1e12f;
    case 1:
        return x * 1e-12f;
    case 2:
        return (float)NAN;
    case 3:
        return (float)INFINITY;
    case 4:
        return 0.0f;
    default:
        return x;
    }
}

static float positive(Calls *c) { return fabsf(number(c)); }
static SnVec3 vector(Calls *c) {
    float x = number(c), y = number(c), z = number(c);
    return sn_vec3(x, y, z);
}

static SnPose pose(Calls *c) {
    SnPose p = sn_pose_identity();
    p.position = vector(c);
    if (byte(c) % 4 == 0)
        p.rotation.x = number(c);
    return p;
}

static int place(Calls *c) { return c->made++ % MOST; }
static int pick(Calls *c) { return (int)byte(c) % MOST; }

static void make_rod(Calls *c) {
    SnVec3 points[12];
    int count = 2 + (int)byte(c) % 11;
    SnVec3 at = vector(c), by = vector(c);
    for (int i = 0; i < count; ++i)
        points[i] = sn_vec3(at.x + 0.1f * (float)i * by.x, at.y + 0.1f * (float)i * by.y,
                            at.z + 0.1f * (float)i * by.z);
    SnRodDef def = sn_default_rod_def();
    unsigned flags = byte(c);
    def.vertex_count = count;
    def.positions = points;
    def.radius = positive(c) * 0.1f;
    def.stiff = flags & 1;
    def.classic = flags & 2;
    def.closed = flags & 4;
    def.self_collide = flags & 8;
    def.solver = flags & 16 ? SN_SOLVER_SWEEP : SN_SOLVER_AUTO;
    def.material.young = positive(c) * 1e6f;
    def.surface.sensor = flags & 32;
    sn_rod_create(c->world, &def, &c->bodies[place(c)]);
}

static void make_rigid(Calls *c) {
    SnRigidPart parts[2];
    int count = 1 + (int)byte(c) % 2;
    for (int k = 0; k < count; ++k)
        parts[k] = byte(c) % 2 ? sn_rigid_sphere(vector(c), positive(c))
                               : sn_rigid_pill(vector(c), vector(c), positive(c));
    SnRigidDef def = sn_default_rigid_def();
    def.parts = parts;
    def.part_count = count;
    def.pose = pose(c);
    def.velocity = vector(c);
    sn_rigid_create(c->world, &def, &c->bodies[place(c)]);
}

static void make_collider(Calls *c) {
    SnColliderDef def = sn_default_collider_def();
    def.kind = (SnColliderKind)(byte(c) % 5);
    def.pose = pose(c);
    def.radius_a = positive(c);
    def.radius_b = positive(c);
    def.a = vector(c);
    def.b = vector(c);
    def.half_size = sn_vec3(positive(c), positive(c), positive(c));
    if (byte(c) % 3 == 0)
        def.frame = c->frames[pick(c)];
    def.surface.sensor = byte(c) % 4 == 0;
    sn_collider_create(c->world, &def, &c->colliders[place(c)]);
}

static void make_ties(Calls *c) {
    SnLinkDef link = sn_default_link_def();
    link.a = (SnBodyPoint){c->bodies[pick(c)], (int)byte(c) % 4, positive(c)};
    if (byte(c) % 2)
        link.b = (SnBodyPoint){c->bodies[pick(c)], (int)byte(c) % 4, positive(c)};
    link.target = vector(c);
    link.ignore = byte(c) % 2;
    link.rope = byte(c) % 2;
    link.compliance = byte(c) % 2 ? positive(c) : 0.0f;
    sn_link_create(c->world, &link, &c->links[place(c)]);
    SnHingeDef hinge = sn_default_hinge_def();
    hinge.a = c->bodies[pick(c)];
    hinge.b = byte(c) % 2 ? c->bodies[pick(c)] : (SnBodyId){0, 0};
    hinge.axis = vector(c);
    hinge.limited = byte(c) % 2;
    hinge.low = -positive(c);
    hinge.high = positive(c);
    hinge.speed = number(c);
    hinge.max_torque = positive(c);
    hinge.element_a = (int)byte(c) % 8 - 1;
    hinge.element_b = (int)byte(c) % 8 - 1;
    sn_hinge_create(c->world, &hinge, &c->hinges[place(c)]);
}

static void make_hold(Calls *c) {
    SnAttachmentDef def = sn_default_attachment_def();
    def.kind = (SnAttachmentKind)(byte(c) % 3);
    def.body = c->bodies[pick(c)];
    def.index = (int)byte(c) % 6;
    def.frame = c->frames[pick(c)];
    sn_attachment_create(c->world, &def, &c->attachments[place(c)]);
}

static void destroy_something(Calls *c) {
    int k = pick(c);
    switch (byte(c) % 7) {
    case 0:
        sn_body_destroy(c->world, c->bodies[k]);
        require(!sn_body_is_valid(c->world, c->bodies[k]));
        break;
    case 1:
        sn_frame_destroy(c->world, c->frames[k]);
        require(!sn_frame_is_valid(c->world, c->frames[k]));
        break;
    case 2:
        sn_collider_destroy(c->world, c->colliders[k]);
        require(!sn_collider_is_valid(c->world, c->colliders[k]));
        break;
    case 3:
        sn_link_destroy(c->world, c->links[k]);
        break;
    case 4:
        sn_hinge_destroy(c->world, c->hinges[k]);
        require(!sn_hinge_is_valid(c->world, c->hinges[k]));
        break;
    case 5:
        sn_attachment_destroy(c->world, c->attachments[k]);
        break;
    default:
        sn_field_destroy(c->world, c->fields[k]);
        break;
    }
}

static void set_something(Calls *c) {
    SnWorld *w = c->world;
    int k = pick(c);
    SnSurface surface = sn_default_surface();
    surface.friction = number(c);
    surface.sensor = byte(c) % 2;
    SnFilter filter = {byte(c), byte(c), (int32_t)(byte(c) % 5) - 2};
    switch (byte(c) % 14) {
    case 0:
        sn_body_set_surface(w, c->bodies[k], &surface);
        break;
    case 1:
        sn_body_set_filter(w, c->bodies[k], filter);
        break;
    case 2:
        sn_collider_set_pose(w, c->colliders[k], pose(c));
        break;
    case 3:
        sn_collider_set_surface(w, c->colliders[k], &surface);
        break;
    case 4:
        sn_collider_set_filter(w, c->colliders[k], filter);
        break;
    case 5:
        sn_link_set_length(w, c->links[k], number(c));
        break;
    case 6:
        sn_link_set_target(w, c->links[k], vector(c));
        break;
    case 7:
        sn_hinge_set_motor(w, c->hinges[k], number(c), positive(c));
        break;
    case 8:
        sn_hinge_set_limits(w, c->hinges[k], byte(c) % 2, number(c), number(c));
        break;
    case 9:
        sn_frame_set_target(w, c->frames[k], pose(c));
        break;
    case 10:
        sn_frame_teleport(w, c->frames[k], pose(c));
        break;
    case 11:
        sn_body_add_impulse(w, c->bodies[k], (int)byte(c) % 6, vector(c));
        break;
    case 12:
        sn_bodies_ignore(w, c->bodies[k], c->bodies[pick(c)], byte(c) % 2);
        break;
    default:
        sn_world_set_gravity(w, vector(c));
        break;
    }
}

static void ask_something(Calls *c) {
    SnHit hit;
    SnFilter all = sn_default_filter();
    SnVec3 a = vector(c), b = vector(c);
    sn_world_ray_cast(c->world, a, b, positive(c), all, &hit);
    sn_world_pill_cast(c->world, a, b, positive(c), vector(c), positive(c), all, &hit);
    sn_world_nearest(c->world, a, positive(c), all, &hit);
    sn_world_overlap(c->world, b, positive(c), all, &hit, 1);
    SnHingeState state;
    if (sn_hinge_state(c->world, c->hinges[pick(c)], &state).code == SN_OK)
        require(isfinite(state.angle) && isfinite(state.speed) && isfinite(state.motor_torque));
    SnReaction reaction;
    sn_attachment_reaction(c->world, c->attachments[pick(c)], &reaction);
}

static void step(Calls *c) {
    sn_world_step(c->world, positive(c) * 0.05f, 1 + (int)byte(c) % 4, 1 + (int)byte(c) % 2);
    SnPoses poses;
    require(sn_world_poses(c->world, &poses).code == SN_OK);
    for (int i = 0; i < 3 * poses.point_count; ++i)
        require(isfinite(poses.positions[i]));
    SnContactEvents events = sn_world_contact_events(c->world);
    for (int i = 0; i < events.contact_count; ++i)
        require(isfinite(events.contacts[i].impulse) && isfinite(events.contacts[i].position.x));
}

static void save_and_restore(Calls *c) {
    size_t size = sn_world_snapshot_size(c->world);
    void *buffer = malloc(size);
    require(buffer && sn_world_save(c->world, buffer, size).code == SN_OK);
    uint64_t hash = sn_world_hash(c->world);
    sn_world_step(c->world, 0.01f, 2, 1);
    require(sn_world_restore(c->world, buffer, size).code == SN_OK);
    require(sn_world_hash(c->world) == hash);
    free(buffer);
}

static void call(Calls *c) {
    switch (byte(c) % 11) {
    case 0:
        make_rod(c);
        break;
    case 1:
        make_rigid(c);
        break;
    case 2:
        make_collider(c);
        break;
    case 3:
        sn_frame_create(c->world, pose(c), &c->frames[place(c)]);
        break;
    case 4:
        make_ties(c);
        break;
    case 5:
        make_hold(c);
        break;
    case 6:
        destroy_something(c);
        break;
    case 7:
        set_something(c);
        break;
    case 8:
        ask_something(c);
        break;
    case 9:
        save_and_restore(c);
        break;
    default:
        step(c);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Calls c = {.at = data, .end = data + (size < 600 ? size : 600)};
    SnWorldDef def = sn_default_world_def();
    def.sleep_speed = size % 2 ? 0.05f : 0.0f;
    require(sn_world_create(&def, &c.world).code == SN_OK);
    while (c.at < c.end)
        call(&c);
    step(&c);
    sn_world_destroy(c.world);
    return 0;
}
