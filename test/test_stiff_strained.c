// Stiff rods that are bent and twisted after they were made: what their joints bear turns with them, and they rest.
#include "stiff_kit.h"

#define SEGMENTS 20
#define SECONDS_LED 2
#define SECONDS 6

typedef struct Ends {
    SnAttachmentId frame[2], vertex[2];
    SnQuat rest[2];
} Ends;

static SnAttachmentId hold(SnWorld *world, SnBodyId rod, bool segment, int index) {
    SnAttachmentDef def = sn_default_attachment_def();
    def.body = rod;
    def.kind = segment ? SN_ATTACH_SEGMENT : SN_ATTACH_VERTEX;
    def.index = index;
    SnAttachmentId id;
    assert_ok(sn_attachment_create(world, &def, &id));
    return id;
}

static Ends hold_ends(SnWorld *world, SnBodyId rod) {
    SnQuat frames[SEGMENTS];
    SnBodyState state = {.frames = frames};
    assert_ok(sn_body_read(world, rod, &state));
    Ends ends;
    for (int k = 0; k < 2; ++k) {
        ends.frame[k] = hold(world, rod, true, k * (SEGMENTS - 1));
        ends.vertex[k] = hold(world, rod, false, k * SEGMENTS);
        ends.rest[k] = frames[k * (SEGMENTS - 1)];
    }
    return ends;
}

static SnQuat turned(SnQuat q, SnVec3 axis, double angle) {
    return sn_quat_multiply(sn_quat_about(axis, (float)angle), q);
}

// Into an arc of a circle, by this much in all, or twisted.
static void lead(SnWorld *world, const Ends *ends, double bend, double twist) {
    float chord = bend > 0.0 ? (float)(2.0 / bend * sin(0.5 * bend)) : 1.0f;
    for (int k = 0; k < 2; ++k) {
        double side = k == 0 ? 0.5 : -0.5;
        SnVec3 at = sn_vec3(k == 0 ? 0.0f : chord, 0.0f, 0.0f);
        SnQuat q = turned(ends->rest[k], sn_vec3(1.0f, 0.0f, 0.0f), side * twist);
        q = turned(q, sn_vec3(0.0f, 0.0f, 1.0f), side * bend);
        assert_ok(sn_attachment_set_target(world, ends->frame[k], at, q, 1.0f));
        assert_ok(sn_attachment_set_target(world, ends->vertex[k], at, q, 1.0f));
    }
}

static double fastest_of(const SnWorld *world, SnBodyId rod) {
    SnVec3 v[SEGMENTS + 1];
    SnBodyState state = {.velocities = v};
    assert_ok(sn_body_read(world, rod, &state));
    double most = 0.0;
    for (int i = 0; i <= SEGMENTS; ++i)
        most = fmax(most, sqrt((double)(v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z)));
    return most;
}

static void strained_steel_rests(void **state) {
    (void)state;
    const double cases[][2] = {{1.5, 0.0}, {4.0, 0.0}, {0.0, 5.0}};
    for (int k = 0; k < 3; ++k) {
        SnVec3 x[SEGMENTS + 1];
        line_of_points(x, SEGMENTS + 1, sn_vec3(0, 0, 0), sn_vec3(1.0f / SEGMENTS, 0, 0));
        SnWorld *world = weightless_world();
        SnRodDef def = stiff_def(x, SEGMENTS + 1, 0.01f);
        assert_ok(sn_rod_material_named("steel", &def.material));
        SnBodyId rod = add_rod(world, &def);
        Ends ends = hold_ends(world, rod);
        double fastest = 0.0;
        for (int step = 1; step <= SECONDS * 60; ++step) {
            double part = fmin(1.0, step / (SECONDS_LED * 60.0));
            lead(world, &ends, part * cases[k][0], part * cases[k][1]);
            sn_world_step(world, DT, 10, 1);
            if (step > (SECONDS - 1) * 60)
                fastest = fmax(fastest, fastest_of(world, rod));
        }
        if (!(fastest < 1e-6))
            fail_msg("bent by %g, twisted by %g: %g m/s", cases[k][0], cases[k][1], fastest);
        sn_world_destroy(world);
    }
}

// A soft tree hangs bent between two points, and one of its branches hangs free: it may turn about the line through
// both. It hardly moves any more after ten seconds.
static void what_may_roll_does_not_whirl(void **state) {
    (void)state;
    SnVec3 x[6] = {sn_vec3(0.0f, 0.0f, 0.0f),      sn_vec3(0.08f, 0.04f, -0.01f),
                   sn_vec3(0.15f, 0.12f, -0.08f),  sn_vec3(0.08f, 0.03f, -0.1f),
                   sn_vec3(0.27f, -0.07f, -0.15f), sn_vec3(0.34f, 0.03f, 0.0f)};
    const int edges[10] = {0, 1, 1, 2, 0, 3, 3, 4, 2, 5};
    SnWorldDef world_def = sn_default_world_def();
    SnWorld *world;
    assert_ok(sn_world_create(&world_def, &world));
    SnRodDef def = stiff_def(x, 6, 0.0094f);
    def.edges = edges;
    def.edge_count = 5;
    def.material.young = 2.6e5f;
    def.material.density = 665.0f;
    def.material.drag = 1.0f;
    SnBodyId tree = add_rod(world, &def);
    hold(world, tree, false, 0);
    hold(world, tree, false, 5);
    double fastest = 0.0;
    for (int step = 1; step <= 10 * 60; ++step) {
        sn_world_step(world, DT, 10, 1);
        if (step > 9 * 60)
            fastest = fmax(fastest, (double)sn_world_measure(world).speed_max);
    }
    if (!(fastest < 0.1))
        fail_msg("%g m/s", fastest);
    sn_world_destroy(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(strained_steel_rests),
                                       cmocka_unit_test(what_may_roll_does_not_whirl)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
