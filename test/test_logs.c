// Logs that lie across each other, of all kinds that are solved as a whole: what is at rest stays there.
#include "contact_kit.h"

#define SEGMENTS 8
#define RADIUS 0.025f
#define REACH 0.2f // half of a log's length; logs of a layer are as far apart
#define MOST_LOGS 16

typedef enum Kind { VOLUME, CLASSIC, STIFF, KINDS } Kind;
static const char *const NAMES[KINDS] = {"volume", "classic", "stiff"};

#ifdef __SANITIZE_ADDRESS__
#define SECONDS 3 // it takes seven times as long
#else
#define SECONDS 10
#endif

typedef struct Pile {
    SnWorld *world;
    int count;
    SnBodyId log[MOST_LOGS];
    SnVec3 start[MOST_LOGS]; // of their middles
} Pile;

static SnRodDef log_def(Kind kind, const SnVec3 *places, const float *radii) {
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = SEGMENTS + 1;
    def.positions = places;
    def.radii = radii;
    def.material.young = 1e7f;
    def.material.damping = 0.01f;
    def.classic = kind == CLASSIC;
    def.stiff = kind == STIFF;
    return def;
}

// Two logs in every layer, across those below, which they meet at vertices. Logs are thinner there by this part.
static Pile build(Kind kind, int layers, float notch) {
    Pile pile = {.world = heavy_world(), .count = 2 * layers};
    add_floor(pile.world, 0.0f, 0.5f);
    for (int i = 0; i < pile.count; ++i) {
        SnVec3 places[SEGMENTS + 1];
        float radii[SEGMENTS + 1];
        float height = RADIUS * (1.0f + 2.0f * (1.0f - notch) * (float)(i / 2));
        float across = i % 2 ? 0.5f * REACH : -0.5f * REACH;
        for (int k = 0; k <= SEGMENTS; ++k) {
            float along = REACH * (2.0f * (float)k / SEGMENTS - 1.0f);
            places[k] = i / 2 % 2 ? sn_vec3(along, height, across) : sn_vec3(across, height, along);
            radii[k] = k == SEGMENTS / 4 || k == SEGMENTS - SEGMENTS / 4 ? (1.0f - notch) * RADIUS
                                                                         : RADIUS;
        }
        SnRodDef def = log_def(kind, places, radii);
        pile.log[i] = add_rod(pile.world, &def);
    }
    return pile;
}

static SnVec3 middle(const Pile *pile, int i) {
    SnVec3 places[SEGMENTS + 1];
    SnBodyState state = {.positions = places};
    assert_ok(sn_body_read(pile->world, pile->log[i], &state));
    return places[SEGMENTS / 2];
}

// How far the middle of any log comes after the first two seconds, in radii; the world is gone then.
static double creep(Pile *pile, int seconds) {
    double farthest = 0.0;
    run_steps(pile->world, 120, 10);
    for (int i = 0; i < pile->count; ++i)
        pile->start[i] = middle(pile, i);
    run_steps(pile->world, 60 * (seconds - 2), 10);
    for (int i = 0; i < pile->count; ++i)
        farthest =
            fmax(farthest, (double)sn_vec3_length(sn_vec3_sub(middle(pile, i), pile->start[i])));
    sn_world_destroy(pile->world);
    return farthest / (double)RADIUS;
}

// Each touches the other at the vertices of both, where four pairs of segments meet. Only one of them is nearest as
// soon as a log has rolled a little, and the ends of the others would push it on: by five radii in five seconds.
static void logs_do_not_roll_off_vertices(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        Pile pile = build((Kind)kind, 2, 0.0f);
        double far = creep(&pile, SECONDS > 5 ? 5 : SECONDS);
        if (!(far < 0.25))
            fail_msg("%s: rolled by %g radii", NAMES[kind], far);
    }
}

// The flanks of a notch hardly differ in direction, and the load goes from one to the other when a log rocks in it.
static void log_cabins_stand(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        Pile pile = build((Kind)kind, 8, 0.2f);
        double far = creep(&pile, SECONDS);
        if (!(far < 0.1))
            fail_msg("%s: creeps by %g radii", NAMES[kind], far);
    }
}

// What overlaps is moved apart, and has no velocity from it.
static void pushes_are_no_velocities(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        SnWorld *world = weightless_world();
        SnVec3 places[SEGMENTS + 1];
        add_floor(world, 0.0f, 0.5f);
        line_of_points(places, SEGMENTS + 1, sn_vec3(-REACH, 0.7f * RADIUS, 0.0f),
                       sn_vec3(2.0f * REACH / SEGMENTS, 0.0f, 0.0f));
        SnRodDef def = log_def((Kind)kind, places, NULL);
        def.radius = RADIUS;
        add_rod(world, &def);
        double fastest = 0.0;
        for (int i = 0; i < 60; ++i) {
            run_steps(world, 1, 10);
            fastest = fmax(fastest, (double)sn_world_measure(world).speed_max);
        }
        double overlap = (double)sn_world_measure(world).penetration_max;
        if (!(overlap < 0.01) || !(fastest < 1e-3))
            fail_msg("%s: overlap %g radii, velocity %g m/s", NAMES[kind], overlap, fastest);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_do_not_roll_off_vertices),
        cmocka_unit_test(log_cabins_stand),
        cmocka_unit_test(pushes_are_no_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
