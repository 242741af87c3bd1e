// Rigid bodies among everybody: on every collider, on every kind of rod, on each other, at many sizes,
// densities and steps. What falls comes to rest, gains no energy and stays out of what it lies on.
#include "rigid_kit.h"

typedef enum Ground {
    ON_PLANE,
    ON_BOX,
    ON_PILLS,
    ON_SPHERES,
    ON_MESH,
    IN_BOWL,
    ON_VOLUME,
    ON_CLASSIC,
    ON_DIRECT,
    ON_STIFF,
    ON_CREATURE,
    GROUNDS,
} Ground;

static const char *const ground_names[GROUNDS] = {"plane",  "box",   "pills",   "spheres",
                                                  "mesh",   "bowl",  "volume",  "classic",
                                                  "direct", "stiff", "creature"};

typedef struct Case {
    Ground ground;
    float radius, density, rod_density, dt;
    int substeps;
    bool pill;
} Case;

static void add_bowl(SnWorld *world, float r, bool flat) {
    enum { N = 17 };
    static SnVec3 x[2 * N * N];
    static uint32_t t[6 * 2 * (N - 1) * (N - 1)];
    SnColliderDef def = collider_def(SN_COLLIDER_MESH, sn_vec3(0.0f, 0.0f, 0.0f), 0.5f);
    int count = 0;
    for (int i = 0; i < N * N; ++i) {
        float a = (float)(i % N) / (N - 1) - 0.5f, b = (float)(i / N) / (N - 1) - 0.5f;
        x[i] = sn_vec3(16.0f * r * a, flat ? 0.0f : 16.0f * r * (a * a + b * b), 16.0f * r * b);
    }
    for (int i = 0; i < N - 1; ++i)
        for (int j = 0; j < N - 1; ++j) {
            uint32_t a = (uint32_t)(i * N + j);
            const uint32_t quad[6] = {a, a + N, a + N + 1, a, a + N + 1, a + 1};
            memcpy(t + 6 * count++, quad, sizeof quad);
        }
    def.vertex_count = N * N;
    def.vertices = x;
    def.triangle_count = 2 * count;
    def.triangles = t;
    add_collider(world, &def);
}

// Two rods, or a creature's arms, on the floor, with a groove between them.
static void add_rods(SnWorld *world, const Case *c) {
    float r = c->radius;
    add_floor(world, -r, 0.5f);
    for (int k = 0; k < 2; ++k) {
        SnVec3 x[9];
        SnRodDef def = line_def(x, 9, sn_vec3(0.0f, 0.0f, r * (k == 0 ? -1.2f : 1.2f)),
                                sn_vec3(1.0f, 0.0f, 0.0f), 16.0f * r, r);
        def.material.density = c->rod_density;
        def.material.damping = sn_default_rod_material().damping;
        def.classic = c->ground == ON_CLASSIC;
        def.stiff = c->ground == ON_STIFF;
        def.solver = c->ground == ON_DIRECT ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
        static const int cross[24] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 4, 9, 9, 10};
        SnVec3 y[11];
        if (c->ground == ON_CREATURE) {
            memcpy(y, x, sizeof x);
            y[9] = sn_vec3(0.0f, 0.0f, y[4].z + (k ? 3.0f : -3.0f) * r);
            y[10] = sn_vec3(0.0f, 0.0f, y[4].z + (k ? 6.0f : -6.0f) * r);
            def.vertex_count = 11;
            def.positions = y;
            def.edges = cross;
            def.edge_count = 10;
        }
        def.material.drag = 4.0f;
        add_rod(world, &def);
        if (c->ground == ON_CREATURE)
            continue;
        SnColliderDef wall =
            collider_def(SN_COLLIDER_BOX, sn_vec3(0.0f, 0.0f, r * (k == 0 ? -3.21f : 3.21f)), 0.5f);
        wall.half_size = sn_vec3(10.0f * r, r, r);
        add_collider(world, &wall);
    }
}

static void add_ground(SnWorld *world, const Case *c) {
    float r = c->radius;
    SnColliderDef def = collider_def(SN_COLLIDER_BOX, sn_vec3(0.0f, -4.0f * r, 0.0f), 0.5f);
    def.half_size = sn_vec3(8.0f * r, 4.0f * r, 8.0f * r);
    if (c->ground == ON_PLANE)
        add_floor(world, 0.0f, 0.5f);
    else if (c->ground == ON_BOX)
        add_collider(world, &def);
    else if (c->ground == ON_MESH || c->ground == IN_BOWL)
        add_bowl(world, r, c->ground == ON_MESH);
    else if (c->ground == ON_PILLS || c->ground == ON_SPHERES) {
        def.kind = c->ground == ON_PILLS ? SN_COLLIDER_PILL : SN_COLLIDER_SPHERE;
        def.radius_a = def.radius_b = 2.0f * r;
        for (int k = 0; k < (c->ground == ON_PILLS ? 2 : 4); ++k) {
            def.a = sn_vec3(-8.0f * r, 0.0f, 0.0f);
            def.b = sn_vec3(8.0f * r, 0.0f, 0.0f);
            def.pose.position =
                sn_vec3(c->ground == ON_PILLS ? 0.0f : (k / 2 ? 1.8f * r : -1.8f * r), -r,
                        k % 2 ? 1.8f * r : -1.8f * r);
            add_collider(world, &def);
        }
    } else
        add_rods(world, c);
}

typedef struct Outcome {
    double gain;    // of energy, as a part of that of the fall
    double overlap; // the deepest ever
    double speed;
    double y;
    uint32_t bits;
} Outcome;

static Outcome drop(const Case *c) {
    SnWorld *world = heavy_world();
    add_ground(world, c);
    float r = c->radius;
    SnRigidPart part = sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), r);
    if (c->pill)
        part = sn_rigid_pill(sn_vec3(-r, 0.0f, 0.0f), sn_vec3(r, 0.0f, 0.0f), r);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &part;
    def.density = c->density;
    def.drag = 4.0f;
    def.pose.position = sn_vec3(0.1f * r, 3.0f * r, 0.05f * r);
    def.pose.rotation = turn_about(0.0, 1.0, 0.0, 0.01);
    SnBodyId ball = add_rigid(world, &def);
    Outcome o = {0};
    SnMeasures m = sn_world_measure(world);
    double most = m.energy_gravity + m.energy_kinetic, scale = m.mass * GRAVITY * (double)r;
    for (int n = 0; n < (int)(5.0f / c->dt); ++n) {
        o.bits |= step_world(world, c->dt, c->substeps, 1);
        m = sn_world_measure(world);
        double energy = m.energy_gravity + m.energy_kinetic;
        o.gain = fmax(o.gain, (energy - most) / scale);
        o.overlap = fmax(o.overlap, m.penetration_max);
    }
    SnRigidState s = rigid_state(world, ball);
    o.speed = m.speed_max;
    o.y = (double)s.centre.y / (double)r;
    sn_world_destroy(world);
    return o;
}

static bool on_rods(const Case *c) { return c->ground >= ON_VOLUME; }

static void check(const Case *c) {
    Outcome o = drop(c);
    // A pill along others touches each at one point, and rocks a little; a bowl is a slow pendulum.
    // Rods that were swept or solved alone answer a sub-step later.
    double slow = c->ground == ON_PILLS || c->ground == IN_BOWL ? 0.25 : (on_rods(c) ? 0.05 : 0.01);
    if (o.bits || o.gain > 1e-3 || o.overlap > 0.2 || o.speed > slow || o.y < 0.5)
        fail_msg("%s, %s of radius %g and density %g, dt %g in %d: bits %u, energy gained %g, "
                 "overlap %g, "
                 "speed %g, height %g radii\n",
                 ground_names[c->ground], c->pill ? "pill" : "ball", (double)c->radius,
                 (double)c->density, (double)c->dt, c->substeps, o.bits, o.gain, o.overlap, o.speed,
                 o.y);
}

// Steps so long that gravity alone moves it by a tenth of its radius are not for it, and what is twenty
// times as heavy as a rod presses through it.
static bool is_fair(const Case *c) {
    float h = c->dt / (float)c->substeps;
    return 9.81f * h * h < 0.1f * c->radius && !(on_rods(c) && c->density > c->rod_density);
}

static void what_falls_comes_to_rest(void **state) {
    (void)state;
    static const float radii[3] = {0.001f, 0.05f, 1.0f}, densities[3] = {1.0f, 1000.0f, 2e4f};
    static const struct {
        float dt;
        int substeps;
    } steps[3] = {{1.0f / 30.0f, 20}, {1.0f / 60.0f, 10}, {1.0f / 240.0f, 2}};
    for (int k = 0; k < GROUNDS * 18; ++k) {
        int n = k / GROUNDS;
        Case c = {
            (Ground)(k % GROUNDS), radii[n % 3], densities[n / 3 % 3], 1000.0f, steps[k % 3].dt,
            steps[k % 3].substeps, n / 9 == 1};
        if (is_fair(&c) && !(on_rods(&c) && n % 4))
            check(&c);
    }
}

// Logs crossed in three layers, lighter by up to 100 on the first. Higher ones roll apart in the end: nothing
// keeps round logs from rolling.
static void stacks_stand(void **state) {
    (void)state;
    for (int k = 0; k < 6; ++k) {
        SnWorld *world = heavy_world();
        add_floor(world, 0.0f, 0.8f);
        for (int n = 0; n < 6; ++n) {
            float side = n % 2 ? 0.3f : -0.3f;
            bool along = n / 2 % 2;
            SnRigidPart part =
                along ? sn_rigid_pill(sn_vec3(-0.5f, 0.0f, side), sn_vec3(0.5f, 0.0f, side), 0.05f)
                      : sn_rigid_pill(sn_vec3(side, 0.0f, -0.5f), sn_vec3(side, 0.0f, 0.5f), 0.05f);
            SnRigidDef def = sn_default_rigid_def();
            def.part_count = 1;
            def.parts = &part;
            def.surface = rough(0.8f);
            def.density = n < 2 ? 1000.0f : (k % 3 == 0 ? 1000.0f : (k % 3 == 1 ? 100.0f : 10.0f));
            def.pose.position = sn_vec3(0.0f, 0.05f + 0.1f * (float)(n / 2), 0.0f);
            add_rigid(world, &def);
        }
        SnMeasures m = sn_world_measure(world);
        double before = m.energy_gravity, weight = m.mass * GRAVITY;
        for (int n = 0; n < 300; ++n)
            sn_world_step(world, DT, k < 3 ? 10 : 4, 1);
        m = sn_world_measure(world);
        assert_below((before - m.energy_gravity) / weight, 0.01);
        assert_below(m.speed_max, 0.01);
        assert_below(m.penetration_max, 0.2);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_falls_comes_to_rest),
        cmocka_unit_test(stacks_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
