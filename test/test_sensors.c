// Sensors tell what is inside of them and leave it alone; the user's own test decides what touches.
#include "support.h"

#define DT (1.0f / 60.0f)

static SnWorld *falling_world(void) {
    SnWorldDef def = sn_default_world_def();
    SnWorld *world;
    assert_ok(sn_world_create(&def, &world));
    return world;
}

static SnBodyId ball(SnWorld *world, SnVec3 at, bool sensor) {
    SnRigidPart part = sn_rigid_sphere(sn_vec3(0.0f, 0.0f, 0.0f), 0.1f);
    SnRigidDef def = sn_default_rigid_def();
    def.part_count = 1;
    def.parts = &part;
    def.pose.position = at;
    def.surface.sensor = sensor;
    SnBodyId id;
    assert_ok(sn_rigid_create(world, &def, &id));
    return id;
}

static SnBodyId rod(SnWorld *world, SnVec3 at) {
    SnVec3 x[5];
    line_of_points(x, 5, at, sn_vec3(0.1f, 0.0f, 0.0f));
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = 5;
    def.positions = x;
    def.radius = 0.02f;
    SnBodyId id;
    assert_ok(sn_rod_create(world, &def, &id));
    return id;
}

static SnColliderId gate(SnWorld *world, SnColliderKind kind) {
    SnColliderDef def = sn_default_collider_def();
    def.kind = kind;
    def.surface.sensor = true;
    def.pose.position = sn_vec3(0.0f, kind == SN_COLLIDER_PLANE ? -1.0f : -2.0f, 0.0f);
    def.a = sn_vec3(-1.0f, 0.0f, 0.0f);
    def.b = sn_vec3(1.0f, 0.0f, 0.0f);
    SnVec3 x[8];
    for (int i = 0; i < 8; ++i)
        x[i] = sn_vec3(i & 1 ? 0.5f : -0.5f, i & 2 ? 0.5f : -0.5f, i & 4 ? 0.5f : -0.5f);
    static const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    def.vertices = x;
    def.vertex_count = 8;
    def.triangles = triangles;
    def.triangle_count = 12;
    SnColliderId id;
    assert_ok(sn_collider_create(world, &def, &id));
    return id;
}

// A ball and a rod fall through a gate of every shape as through nothing. Each is told to begin when the
// first of it is inside, and to end, but of a plane, when the last of it is out.
static void check_gate(SnColliderKind kind) {
    SnWorld *world = falling_world(), *free = falling_world();
    SnColliderId id = gate(world, kind);
    const SnBodyId bodies[2] = {ball(world, sn_vec3(0.0f, 0.0f, 0.0f), false),
                                rod(world, sn_vec3(-0.2f, 0.3f, 0.1f))};
    ball(free, sn_vec3(0.0f, 0.0f, 0.0f), false);
    rod(free, sn_vec3(-0.2f, 0.3f, 0.1f));
    int began[2] = {0, 0}, ended[2] = {0, 0};
    for (int i = 0; i < 80; ++i) {
        sn_world_step(world, DT, 4, 1);
        sn_world_step(free, DT, 4, 1);
        SnContactEvents events = sn_world_contact_events(world);
        assert_int_equal(events.contact_count, 0);
        for (int k = 0; k < events.begin_count + events.end_count; ++k) {
            const SnTouch *t =
                k < events.begin_count ? &events.begin[k] : &events.end[k - events.begin_count];
            int which = t->a.index == bodies[1].index;
            assert_true(t->sensor);
            assert_int_equal(t->collider.index, id.index);
            *(k < events.begin_count ? &began[which] : &ended[which]) += 1;
        }
        // As the surfaces are.
        SnRigidState s;
        assert_ok(sn_rigid_read(world, bodies[0], &s));
        float low = s.centre.y - 0.1f, high = s.centre.y + 0.1f;
        bool inside = kind == SN_COLLIDER_PLANE ? low < -1.0f : low < -1.5f && high > -2.5f;
        bool told = false;
        for (int k = 0; k < events.touch_count; ++k)
            told |= events.touches[k].a.index == bodies[0].index;
        if (fabsf(low + 1.5f) > 0.02f && fabsf(high + 2.5f) > 0.02f)
            assert_int_equal(told, inside);
    }
    for (int which = 0; which < 2; ++which) {
        assert_int_equal(began[which], 1);
        assert_int_equal(ended[which], kind == SN_COLLIDER_PLANE ? 0 : 1);
    }
    assert_true(sn_world_hash(world) == sn_world_hash(free));
    // Queries pass through it.
    SnHit hit;
    assert_false(sn_world_ray_cast(world, sn_vec3(0.3f, 0.0f, 0.0f), sn_vec3(0.0f, -1.0f, 0.0f),
                                   3.0f, sn_default_filter(), &hit));
    assert_false(
        sn_world_nearest(world, sn_vec3(0.0f, -1.0f, 0.0f), 1.2f, sn_default_filter(), &hit));
    sn_world_destroy(world);
    sn_world_destroy(free);
}

static void test_gates(void **state) {
    (void)state;
    const SnColliderKind kinds[] = {SN_COLLIDER_PLANE, SN_COLLIDER_SPHERE, SN_COLLIDER_PILL,
                                    SN_COLLIDER_BOX, SN_COLLIDER_MESH};
    for (int k = 0; k < 5; ++k)
        check_gate(kinds[k]);
}

static bool touch(SnWorld *world, SnBodyId a, SnBodyId b) {
    SnContactEvents events = sn_world_contact_events(world);
    for (int k = 0; k < events.touch_count; ++k) {
        const SnTouch *t = &events.touches[k];
        if ((t->a.index == a.index && t->b.index == b.index) ||
            (t->a.index == b.index && t->b.index == a.index))
            return true;
    }
    return false;
}

// A body that is a sensor feels bodies and colliders, but no sensors; filters and ignored pairs count.
static void test_sensing_bodies(void **state) {
    (void)state;
    SnWorld *world = weightless_world();
    SnBodyId ear = ball(world, sn_vec3(0.0f, 0.0f, 0.0f), true);
    SnBodyId other_ear = ball(world, sn_vec3(0.05f, 0.0f, 0.0f), true);
    SnBodyId near = ball(world, sn_vec3(0.0f, 0.19f, 0.0f), false);
    SnBodyId far = ball(world, sn_vec3(0.0f, -0.21f, 0.0f), false);
    SnColliderDef wall = sn_default_collider_def();
    wall.kind = SN_COLLIDER_BOX;
    wall.pose.position = sn_vec3(0.0f, 0.0f, 0.58f);
    SnColliderId box;
    assert_ok(sn_collider_create(world, &wall, &box));
    sn_world_step(world, DT, 2, 1);
    assert_true(touch(world, ear, near));
    assert_false(touch(world, ear, far));
    assert_false(touch(world, ear, other_ear));
    SnContactEvents events = sn_world_contact_events(world);
    int walls = 0;
    for (int k = 0; k < events.touch_count; ++k)
        walls += events.touches[k].collider.index == box.index && events.touches[k].sensor;
    assert_int_equal(walls, 2);
    assert_ok(sn_bodies_ignore(world, ear, near, true));
    assert_true(sn_bodies_are_ignored(world, near, ear));
    sn_world_step(world, DT, 2, 1);
    assert_false(touch(world, ear, near));
    assert_ok(sn_bodies_ignore(world, ear, near, false));
    assert_false(sn_bodies_are_ignored(world, near, ear));
    // No sensor any more: they are pressed apart.
    SnSurface surface;
    assert_ok(sn_body_surface(world, ear, &surface));
    assert_true(surface.sensor);
    surface.sensor = false;
    assert_ok(sn_body_set_surface(world, ear, &surface));
    sn_world_step(world, DT, 2, 1);
    events = sn_world_contact_events(world);
    assert_true(events.contact_count > 0);
    assert_true(touch(world, ear, near));
    sn_world_destroy(world);
}

typedef struct Lets {
    SnBodyId through;
    SnColliderId collider;
    bool asked_elements;
} Lets;

// Lets one body through one collider.
static bool let_through(const SnContactPair *pair, void *context) {
    Lets *lets = context;
    return !(pair->collider.index == lets->collider.index && pair->a.index == lets->through.index);
}

static void test_contact_test(void **state) {
    (void)state;
    for (int plane = 0; plane < 2; ++plane) {
        SnWorld *world = falling_world();
        SnColliderDef def = sn_default_collider_def();
        def.kind = plane ? SN_COLLIDER_PLANE : SN_COLLIDER_BOX;
        def.half_size = sn_vec3(5.0f, 0.5f, 5.0f);
        def.pose.position = sn_vec3(0.0f, plane ? -0.5f : -1.0f, 0.0f);
        Lets lets = {.through = ball(world, sn_vec3(0.0f, 0.0f, 0.0f), false)};
        SnBodyId stays = ball(world, sn_vec3(1.0f, 0.0f, 0.0f), false);
        SnBodyId soft = rod(world, sn_vec3(2.0f, 0.0f, 0.0f));
        assert_ok(sn_collider_create(world, &def, &lets.collider));
        assert_ok(sn_world_set_contact_test(world, let_through, &lets));
        void *context;
        assert_true(sn_world_contact_test(world, &context) == let_through);
        assert_ptr_equal(context, &lets);
        for (int i = 0; i < 60; ++i)
            sn_world_step(world, DT, 4, 1);
        SnRigidState s;
        assert_ok(sn_rigid_read(world, lets.through, &s));
        assert_near(s.centre.y, -4.9, 0.2);
        assert_ok(sn_rigid_read(world, stays, &s));
        assert_near(s.centre.y, -0.4, 0.01);
        RodCopy copy;
        copy_rod(world, soft, &copy);
        assert_true(copy.x[2].y > -0.6f);
        assert_ok(sn_world_set_contact_test(world, NULL, NULL));
        assert_true(sn_world_contact_test(world, NULL) == NULL);
        sn_world_destroy(world);
    }
}

// Two bodies pass through each other by the flag of their link, and touch again without it.
static void test_linked_bodies_ignore_each_other(void **state) {
    (void)state;
    for (int ignore = 0; ignore < 2; ++ignore) {
        SnWorld *world = weightless_world();
        SnBodyId a = ball(world, sn_vec3(0.0f, 0.0f, 0.0f), false);
        SnBodyId b = ball(world, sn_vec3(0.3f, 0.0f, 0.0f), false);
        SnLinkDef def = sn_default_link_def();
        def.a = (SnBodyPoint){a, 0, 0.0f};
        def.b = (SnBodyPoint){b, 0, 0.0f};
        def.ignore = ignore;
        def.length = 0.0f;
        def.compliance = 1e-3f;
        def.user_data = world;
        SnLinkId link;
        assert_ok(sn_link_create(world, &def, &link));
        assert_ptr_equal(sn_link_user_data(world, link), world);
        float least = 1.0f;
        for (int i = 0; i < 120; ++i) {
            sn_world_step(world, DT, 10, 1);
            SnRigidState s, t;
            assert_ok(sn_rigid_read(world, a, &s));
            assert_ok(sn_rigid_read(world, b, &t));
            least = fminf(least, t.centre.x - s.centre.x);
        }
        if (ignore)
            assert_below(least, 0.0);
        else
            assert_near(least, 0.2, 0.01);
        assert_ok(sn_link_read(world, link, &def));
        assert_int_equal(def.ignore, ignore);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gates),
        cmocka_unit_test(test_sensing_bodies),
        cmocka_unit_test(test_contact_test),
        cmocka_unit_test(test_linked_bodies_ignore_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
