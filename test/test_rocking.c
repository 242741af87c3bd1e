// A rod that lies across a pill rolls to and fro on it like a see-saw. Nothing takes its energy but what the sub-steps
// damp, and nothing may add to it: forces that act where bodies touched a sub-step ago would let the swing grow by
// hω²/2 (see bring_along in contact_wide.c).
#include "rigid_kit.h"

#define PILL 0.1f // m, radii and length
#define ROD 0.02f
#define LENGTH 0.3f
#define TILT 0.1 // rad
#define MOST_VERTICES 6

typedef enum Kind { SWEPT, VOLUME, CLASSIC, STIFF, RIGID, KINDS } Kind;
static const char *const NAMES[KINDS] = {"swept", "volume", "classic", "stiff", "rigid"};

static SnSurface rubber(void) {
    SnSurface s = rough(1.0f);
    s.static_friction = 1.0f;
    return s;
}

// `share` of the length from the middle, of a rod that has rolled by the tilt.
static SnVec3 place(double share) {
    double s = share * (double)LENGTH - (double)PILL * TILT, high = (double)(PILL + ROD);
    return sn_vec3((float)(high * sin(TILT) + s * cos(TILT)),
                   (float)(high * cos(TILT) - s * sin(TILT)), 0.0f);
}

static SnBodyId add_rocker(SnWorld *world, Kind kind, int segments) {
    SnVec3 x[MOST_VERTICES];
    if (kind == RIGID) {
        SnRigidPart part = sn_rigid_pill(sn_vec3(-0.5f * LENGTH, 0.0f, 0.0f),
                                         sn_vec3(0.5f * LENGTH, 0.0f, 0.0f), ROD);
        SnRigidDef def = sn_default_rigid_def();
        def.part_count = 1;
        def.parts = &part;
        def.surface = rubber();
        def.pose.position = place(0.0);
        def.pose.rotation = turn_about(0.0, 0.0, 1.0, -TILT);
        return add_rigid(world, &def);
    }
    for (int i = 0; i <= segments; ++i)
        x[i] = place((double)i / segments - 0.5);
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = segments + 1;
    def.positions = x;
    def.radius = ROD;
    def.surface = rubber();
    def.material.young = 1e8f;
    def.material.damping = 0.001f;
    def.classic = kind == CLASSIC;
    def.stiff = kind == STIFF;
    if (kind != STIFF)
        def.solver = kind == SWEPT ? SN_SOLVER_SWEEP : SN_SOLVER_DIRECT;
    return add_rod(world, &def);
}

static double tilt_of(const SnWorld *world, SnBodyId rod) {
    SnVec3 x[MOST_VERTICES];
    int last = sn_body_point_count(world, rod) - 1;
    assert_ok(sn_body_read(world, rod, &(SnBodyState){.positions = x}));
    return atan2((double)(x[last].y - x[0].y), (double)(x[last].x - x[0].x));
}

// The largest tilt within two seconds, at the start and from the fifth on.
static void rock(Kind kind, int segments, double out[2]) {
    SnWorld *world = heavy_world();
    SnColliderDef pill = collider_def(SN_COLLIDER_PILL, sn_vec3(0.0f, 0.0f, 0.0f), 1.0f);
    pill.surface = rubber();
    pill.a = sn_vec3(0.0f, 0.0f, -1.0f);
    pill.b = sn_vec3(0.0f, 0.0f, 1.0f);
    pill.radius_a = pill.radius_b = PILL;
    add_collider(world, &pill);
    SnBodyId rod = add_rocker(world, kind, segments);
    out[0] = out[1] = 0.0;
    for (int n = 0; n < 420; ++n) {
        run_steps(world, 1, 10);
        double tilt = fabs(tilt_of(world, rod));
        if (n < 120 || n >= 300)
            out[n >= 300] = fmax(out[n >= 300], tilt);
    }
    sn_world_destroy(world);
}

static void a_see_saw_keeps_its_swing(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind)
        // A single segment that is swept gains 4 % in that time: its frame follows its ends.
        for (int segments = kind == SWEPT ? 3 : 1; segments <= (kind == RIGID ? 1 : 5);
             segments += 2) {
            double tilt[2];
            rock((Kind)kind, segments, tilt);
            if (!(tilt[1] < 1.01 * tilt[0]) || !(tilt[1] > 0.95 * tilt[0]) || !(tilt[0] < 0.105))
                fail_msg("%s, %d segments: swings by %g, later by %g", NAMES[kind], segments,
                         tilt[0], tilt[1]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_see_saw_keeps_its_swing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
