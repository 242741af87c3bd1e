// Free bodies of all kinds that run into each other keep their momentum, whatever they are made of:
// what a contact gives to one it takes from the other.
//
// In the environment, SN_FIRST and SN_PAIRS say which pairs of bodies there are, and SN_ALL tells of
// all of them.
#include "random_world.h"

#define FIRST 0
#ifdef __SANITIZE_ADDRESS__
#define PAIRS 10
#else
#define PAIRS 60
#endif
#define STEPS 60

// Two bodies near each other, one of which comes to the other at 0.5 to 3 m/s.
static void random_pair(RandomWorld *w, uint64_t seed) {
    *w = (RandomWorld){.seed = seed, .rng = {seed}, .dt = 1.0f / 60.0f, .substeps = 10};
    rng_next(&w->rng);
    w->restitution = rng_int(&w->rng, 0, 2) == 0 ? 1.0f : 0.0f;
    SnWorldDef def = sn_default_world_def();
    def.gravity = sn_vec3(0.0f, 0.0f, 0.0f);
    assert_ok(sn_world_create(&def, &w->world));
    static Draft draft;
    any_draft(&w->rng, w, &draft);
    make(w, 0, &draft, sn_pose_identity(), sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(0.0f, 0.0f, 0.0f));
    any_draft(&w->rng, w, &draft);
    SnPose pose = sn_pose_identity();
    for (int n = 0; n < PLACES; ++n) {
        pose.rotation = rng_quat(&w->rng);
        pose.position = rng_vec3(&w->rng, 0.5);
        if (is_clear(w->world, &draft, pose))
            break;
    }
    SnVec3 x[MAX_POINTS], aside = sn_vec3(1.0f, 0.0f, 0.0f);
    assert_ok(sn_body_read(w->world, w->members[0].id, &(SnBodyState){.positions = x}));
    SnVec3 at = x[rng_int(&w->rng, 0, sn_body_point_count(w->world, w->members[0].id) - 1)];
    SnVec3 way = sn_vec3_normalise(sn_vec3_sub(at, pose.position), aside);
    float speed = rng_float(&w->rng, 0.5, 3.0);
    make(w, 1, &draft, pose, sn_vec3_scale(way, speed), sn_vec3(0.0f, 0.0f, 0.0f));
}

static double size_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

// How much momentum was lost or gained at most, as a part of what there is.
static double worst_of(RandomWorld *w, int *touches, uint32_t *bits) {
    SnMeasures before = sn_world_measure(w->world);
    double worst = 0.0;
    *touches = 0;
    *bits = SN_STEP_OK;
    for (int step = 0; step < STEPS; ++step) {
        *bits |= sn_world_step(w->world, w->dt, w->substeps, 1);
        *touches += sn_world_contact_events(w->world).contact_count;
        SnMeasures now = sn_world_measure(w->world);
        double off[3];
        for (int c = 0; c < 3; ++c)
            off[c] = now.momentum[c] - before.momentum[c];
        worst = fmax(worst, size_of(off) / size_of(before.momentum));
    }
    return worst;
}

static int number_of(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text != NULL ? atoi(text) : otherwise;
}

static void contacts_keep_momentum(void **state) {
    (void)state;
    int first = number_of("SN_FIRST", FIRST), end = first + number_of("SN_PAIRS", PAIRS);
    int wrong = 0, touching = 0;
    static RandomWorld w;
    for (int seed = first; seed < end; ++seed) {
        random_pair(&w, (uint64_t)seed);
        int touches;
        uint32_t bits;
        double worst = worst_of(&w, &touches, &bits);
        bool off = !(worst < 1e-5);
        if (off || getenv("SN_ALL"))
            print_message("pair %d, %s E %.2g and %s E %.2g%s: %.2g, %d contacts, bits %x\n", seed,
                          w.members[0].kind, w.members[0].young, w.members[1].kind,
                          w.members[1].young, w.restitution > 0.0f ? ", bouncy" : "", worst,
                          touches, bits);
        wrong += off;
        touching += touches > 0;
        sn_world_destroy(w.world);
    }
    assert_true(touching > (end - first) / 4);
    if (wrong > 0)
        fail_msg("%d of %d pairs", wrong, end - first);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(contacts_keep_momentum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
