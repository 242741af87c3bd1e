// A crate on a rope that a winch pulls up, a door with limits that falls shut by a spring of your own, and a
// cart whose wheels are driven. `scenes/workshop.json` shows the same.
#include <sinew/sinew.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP (1.0f / 60.0f)
#define SUBSTEPS 10

static void must(SnResult result) {
    if (result.code == SN_OK)
        return;
    fprintf(stderr, "workshop: %s\n", result.message);
    exit(1);
}

static void expect(bool holds, const char *what) {
    if (holds)
        return;
    fprintf(stderr, "workshop: it is not true that %s\n", what);
    exit(1);
}

static SnBodyId make_rigid(SnWorld *world, const char *name, const SnRigidPart *parts, int count,
                           SnVec3 position, float mass) {
    SnRigidDef def = sn_default_rigid_def();
    def.name = name;
    def.parts = parts;
    def.part_count = count;
    def.pose.position = position;
    def.mass = mass;
    SnBodyId body;
    must(sn_rigid_create(world, &def, &body));
    return body;
}

static SnLinkId tie(SnWorld *world, SnBodyPoint a, SnBodyPoint b, bool ignore) {
    SnLinkDef def = sn_default_link_def();
    def.a = a;
    def.b = b;
    def.ignore = ignore;
    SnLinkId link;
    must(sn_link_create(world, &def, &link));
    return link;
}

// A crate of four pills hangs from a stiff rod that is tied to a winch, a link that gets shorter.
typedef struct Crane {
    SnBodyId crate;
    SnLinkId winch;
} Crane;

static Crane make_crane(SnWorld *world) {
    enum { VERTICES = 20 };
    SnVec3 rope_points[VERTICES];
    for (int i = 0; i < VERTICES; ++i)
        rope_points[i] = sn_vec3(-3.0f, 3.0f - 0.1f * (float)i, 0.0f);
    SnRodDef rope_def = sn_default_rod_def();
    rope_def.name = "rope";
    rope_def.stiff = true; // carries a thousand times its mass
    rope_def.vertex_count = VERTICES;
    rope_def.positions = rope_points;
    rope_def.radius = 0.02f;
    must(sn_rod_material_named("rope", &rope_def.material));
    SnBodyId rope;
    must(sn_rod_create(world, &rope_def, &rope));

    SnRigidPart crate_parts[4];
    for (int k = 0; k < 4; ++k) {
        float x = k < 2 ? -0.2f : 0.2f, z = k % 2 ? -0.2f : 0.2f;
        crate_parts[k] = sn_rigid_pill(sn_vec3(x, -0.2f, z), sn_vec3(x, 0.2f, z), 0.1f);
    }
    Crane crane;
    crane.crate = make_rigid(world, "crate", crate_parts, 4, sn_vec3(-3.0f, 0.31f, 0.0f), 40.0f);
    // Four steep slings from the end of the rope to the upper corners: the crate cannot turn over.
    for (int k = 0; k < 4; ++k)
        tie(world, (SnBodyPoint){rope, VERTICES - 2, 1.0f}, (SnBodyPoint){crane.crate, k, 1.0f},
            true);
    SnLinkDef winch = sn_default_link_def();
    winch.a = (SnBodyPoint){rope, 0, 0.0f};
    winch.target = sn_vec3(-3.0f, 5.0f, 0.0f);
    winch.rope = true;
    must(sn_link_create(world, &winch, &crane.winch));
    return crane;
}

// Two of its points are attached, which makes a hinge; SnHingeDef adds how far it may turn.
static SnHingeId make_door(SnWorld *world, SnBodyId *out_door) {
    const SnRigidPart parts[3] = {
        sn_rigid_pill(sn_vec3(0.0f, 0.1f, 0.0f), sn_vec3(0.0f, 2.0f, 0.0f), 0.05f),
        sn_rigid_pill(sn_vec3(0.1f, 0.3f, 0.0f), sn_vec3(0.9f, 0.3f, 0.0f), 0.05f),
        sn_rigid_pill(sn_vec3(0.1f, 1.6f, 0.0f), sn_vec3(0.9f, 1.6f, 0.0f), 0.05f)};
    *out_door = make_rigid(world, "door", parts, 3, sn_vec3(0.0f, 0.0f, 0.0f), 15.0f);
    for (int point = 0; point < 2; ++point) {
        SnAttachmentDef peg = sn_default_attachment_def();
        peg.body = *out_door;
        peg.index = point;
        must(sn_attachment_create(world, &peg, NULL));
    }
    SnHingeDef def = sn_default_hinge_def();
    def.a = *out_door;
    def.axis = sn_vec3(0.0f, 1.0f, 0.0f);
    def.limited = true;
    def.low = 0.0f;
    def.high = 1.9f;
    SnHingeId hinge;
    must(sn_hinge_create(world, &def, &hinge));
    return hinge;
}

// Each axle is tied to both ends of the chassis from either side, and its motor turns it against that.
static SnBodyId make_cart(SnWorld *world, SnHingeId motors[2]) {
    const SnRigidPart frame =
        sn_rigid_pill(sn_vec3(-0.5f, 0.0f, 0.0f), sn_vec3(0.5f, 0.0f, 0.0f), 0.1f);
    const SnRigidPart axle =
        sn_rigid_pill(sn_vec3(0.0f, 0.0f, -0.25f), sn_vec3(0.0f, 0.0f, 0.25f), 0.2f);
    SnBodyId chassis = make_rigid(world, "cart", &frame, 1, sn_vec3(2.0f, 0.5f, 2.0f), 20.0f);
    for (int w = 0; w < 2; ++w) {
        SnVec3 at = sn_vec3(w == 0 ? 1.6f : 2.4f, 0.2f, 2.0f);
        SnBodyId wheel = make_rigid(world, w == 0 ? "rear" : "front", &axle, 1, at, 4.0f);
        for (int k = 0; k < 4; ++k)
            tie(world, (SnBodyPoint){wheel, 0, (float)(k / 2)},
                (SnBodyPoint){chassis, 0, (float)(k % 2)}, true);
        SnHingeDef def = sn_default_hinge_def();
        def.a = wheel;
        def.b = chassis;
        def.axis = sn_vec3(0.0f, 0.0f, 1.0f);
        def.speed = -5.0f; // rad/s, forwards along x
        def.max_torque = 20.0f;
        must(sn_hinge_create(world, &def, &motors[w]));
    }
    return chassis;
}

int main(void) {
    SnWorldDef world_def = sn_default_world_def();
    SnWorld *world;
    must(sn_world_create(&world_def, &world));
    SnColliderDef floor = sn_default_collider_def();
    must(sn_collider_create(world, &floor, NULL));

    Crane crane = make_crane(world);
    SnBodyId door;
    SnHingeId hinge = make_door(world, &door);
    SnHingeId motors[2];
    SnBodyId cart = make_cart(world, motors);

    SnRigidState crate_before, cart_state, crate;
    must(sn_rigid_read(world, crane.crate, &crate_before));
    float widest = 0.0f;
    for (int i = 0; i < 300; ++i) {
        float time = STEP * (float)i;
        // The winch takes the rope in by 0.3 m/s, from 2 m on.
        must(sn_link_set_length(world, crane.winch, fmaxf(2.0f - 0.3f * time, 1.0f)));
        // Somebody pushes the door open for a second; then a closer pulls it shut.
        SnHingeState state;
        must(sn_hinge_state(world, hinge, &state));
        if (time < 1.0f)
            must(sn_body_add_force(world, door, 5, sn_vec3(0.0f, 0.0f, -40.0f)));
        must(sn_hinge_set_motor(world, hinge, -0.8f, time < 1.0f ? 0.0f : 15.0f));
        widest = fmaxf(widest, state.angle);
        sn_world_step(world, STEP, SUBSTEPS, 1);
        if (i % 60 == 59) {
            must(sn_rigid_read(world, crane.crate, &crate));
            must(sn_rigid_read(world, cart, &cart_state));
            printf("%.0f s: crate at %.2f m, door at %.0f degrees, cart at %.2f m, %.2f m/s\n",
                   (double)time + 0.02, (double)crate.centre.y, (double)state.angle * 57.29578,
                   (double)cart_state.centre.x, (double)cart_state.velocity.x);
        }
    }
    must(sn_rigid_read(world, crane.crate, &crate));
    must(sn_rigid_read(world, cart, &cart_state));
    SnHingeState shut;
    must(sn_hinge_state(world, hinge, &shut));
    expect(fabsf(crate.centre.y - crate_before.centre.y - 1.0f) < 0.15f,
           "the winch lifted the crate by 1 m");
    expect(widest > 1.0f && widest < 1.92f, "the door opened, and no farther than its limit");
    expect(fabsf(shut.angle) < 0.01f, "the door is shut");
    expect(fabsf(cart_state.velocity.x - 1.0f) < 0.1f, "5 rad/s and 0.2 m of radius are 1 m/s");
    sn_world_destroy(world);
    return 0;
}
