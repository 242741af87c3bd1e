// One golden hash over everything that touches: volume-preserving, classic and direct rods, rings,
// creatures, stiff rods, nets and trees that break, rigid bodies, links, moving frames and colliders,
// wind, sleep. It must be the same for every instruction set, thread count, compiler and optimisation.
#include "contact_kit.h"

#include "rigid_kit.h"

// It changes when the physics change; run this test to see the new value.
#define GOLDEN UINT64_C(0xce29a08341b90b7b)
#define STEPS 90

typedef struct Everything {
    SnWorld *world;
    SnFrameId frame;
    SnBodyId rods[16];
    int rod_count;
} Everything;

static void add(Everything *e, const SnRodDef *def) {
    e->rods[e->rod_count++] = add_rod(e->world, def);
}

// Rods of every kind above each other, crossed, so that they fall on each other.
static void add_chains(Everything *e) {
    for (int k = 0; k < 8; ++k) {
        SnVec3 x[24];
        SnVec3 along = k % 2 == 0 ? sn_vec3(1.0f, 0.0f, 0.0f) : sn_vec3(0.0f, 0.0f, 1.0f);
        int count = 6 + 2 * k;
        SnRodDef def =
            line_def(x, count, sn_vec3(0.0f, 0.1f + 0.12f * (float)k, 0.0f), along, 0.8f, 0.03f);
        def.material.young = k < 4 ? 2e5f : 1e7f;
        def.classic = k % 3 == 1;
        def.solver = k % 4 == 2 ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
        def.stiff = k % 4 == 3;
        def.classic = def.classic && !def.stiff;
        def.material.strength = k == 7 ? 2e5f : 0.0f;
        add(e, &def);
    }
}

// A ring without trigonometry: a square with cut corners.
static void add_rings(Everything *e) {
    static const float corner[8][2] = {{3, 1},   {1, 3},   {-1, 3}, {-3, 1},
                                       {-3, -1}, {-1, -3}, {1, -3}, {3, -1}};
    for (int k = 0; k < 2; ++k) {
        SnVec3 x[8];
        for (int i = 0; i < 8; ++i)
            x[i] = sn_vec3(0.08f * corner[i][0], 1.3f + 0.2f * (float)k, 0.08f * corner[i][1]);
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 8;
        def.positions = x;
        def.closed = true;
        def.radius = 0.03f;
        def.material.young = 1e6f;
        def.stiff = k == 1;
        add(e, &def);
    }
}

// A star with four arms of two segments.
static void add_creatures(Everything *e) {
    static const int edges[16] = {0, 1, 1, 2, 0, 3, 3, 4, 0, 5, 5, 6, 0, 7, 7, 8};
    for (int k = 0; k < 3; ++k) {
        SnVec3 x[9] = {{0.05f, 1.8f + 0.25f * (float)k, 0.02f}};
        for (int i = 1; i < 9; ++i) {
            float reach = i % 2 == 1 ? 0.15f : 0.3f, side = (i - 1) / 2 % 2 == 0 ? reach : -reach;
            x[i] = sn_vec3(x[0].x + (i < 5 ? side : 0.0f), x[0].y, x[0].z + (i < 5 ? 0.0f : side));
        }
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = 9;
        def.positions = x;
        def.edges = edges;
        def.edge_count = 8;
        def.radius = 0.04f;
        def.material.young = 3e5f;
        def.solver = k == 1 ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
        def.stiff = k == 2;
        add(e, &def);
    }
}

static void add_rigids(Everything *e) {
    SnBodyId last = {0};
    for (int k = 0; k < 5; ++k) {
        SnRigidPart parts[2] = {
            sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), 0.06f),
            sn_rigid_pill(sn_vec3(-0.1f, 0.0f, 0.0f), sn_vec3(0.1f, 0.05f, 0.0f), 0.03f)};
        SnRigidDef def = sn_default_rigid_def();
        def.part_count = 1 + k % 2;
        def.parts = parts;
        def.pose.position = sn_vec3(0.1f * (float)(k - 2), 2.6f + 0.2f * (float)k, 0.03f);
        def.pose.rotation = (SnQuat){0.6f, 0.0f, 0.0f, 0.8f};
        def.angular_velocity = sn_vec3(1.0f, (float)k, 2.0f);
        last = add_rigid(e->world, &def);
    }
    SnLinkDef link = sn_default_link_def();
    link.length = 0.0f;
    link.a = (SnBodyPoint){last, 0, 0.0f};
    link.b = (SnBodyPoint){e->rods[7], 1, 0.5f};
    link.length = 0.3f;
    link.rope = true;
    link.compliance = 1e-4f;
    assert_ok(sn_link_create(e->world, &link, NULL));
    link.b = (SnBodyPoint){e->rods[0], 0, 0.0f};
    assert_ok(sn_link_create(e->world, &link, NULL));
}

static void hang(Everything *e, SnBodyId body, int vertex) {
    SnAttachmentDef def = sn_default_attachment_def();
    def.body = body;
    def.index = vertex;
    def.frame = e->frame;
    assert_ok(sn_attachment_create(e->world, &def, NULL));
}

static uint64_t run(SnIsa isa, int threads) {
    SnWorldDef def = sn_default_world_def();
    def.isa = isa;
    def.thread_count = threads;
    def.sleep_speed = 0.02f;
    Everything e = {0};
    assert_ok(sn_world_create(&def, &e.world));
    assert_ok(sn_frame_create(e.world, sn_pose_identity(), &e.frame));
    add_floor(e.world, 0.0f, 0.5f);
    SnColliderDef box = collider_def(SN_COLLIDER_BOX, sn_vec3(0.4f, 0.1f, 0.4f), 0.5f);
    box.half_size = sn_vec3(0.1f, 0.1f, 0.1f);
    box.frame = e.frame;
    add_collider(e.world, &box);
    add_chains(&e);
    add_rings(&e);
    add_creatures(&e);
    add_rigids(&e);
    hang(&e, e.rods[5], 0);
    hang(&e, e.rods[3], 0);
    SnFieldDef wind = sn_default_field_def();
    wind.kind = SN_FIELD_WIND;
    wind.strength = 4.0f;
    wind.turbulence = 0.3f;
    assert_ok(sn_field_create(e.world, &wind, NULL));
    uint64_t hash = 0;
    for (int n = 0; n < STEPS; ++n) {
        SnPose pose = {sn_vec3(0.002f * (float)n, 0.0f, 0.0f), sn_quat_identity()};
        assert_ok(sn_frame_set_target(e.world, e.frame, pose));
        uint32_t bits = step_world(e.world, DT, 4, 1);
        assert_int_equal(bits & ~(uint32_t)(SN_STEP_CLAMPED | SN_STEP_TORN), SN_STEP_OK);
        hash ^= sn_world_hash(e.world) + (uint64_t)n;
    }
    assert_below(20, sn_world_contact_events(e.world).contact_count);
    sn_world_destroy(e.world);
    return hash;
}

static void the_golden_hash_is_met_by_all(void **state) {
    (void)state;
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        for (int threads = 1; threads <= 4 && sn_isa_available((SnIsa)isa); threads *= 2) {
            uint64_t hash = run((SnIsa)isa, threads);
            if (hash != GOLDEN)
                fail_msg("%s, %d threads: 0x%016llx, expected 0x%016llx", sn_isa_name((SnIsa)isa),
                         threads, (unsigned long long)hash, (unsigned long long)GOLDEN);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_golden_hash_is_met_by_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
