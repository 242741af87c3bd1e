// Stiff rods that something heavy pulls at: what the forces of links do turns with the segments, and light chains
// swing weights of hundreds of times their mass.
#include "base/isa.h"
#include "math/vec.h"
#include "rigid_kit.h"
#include "stiff/solve.h"
#include "stiff_kit.h"

#define SEGMENTS 5
#define MASS 1e-3
#define INERTIA 1e-6 // about the axes across
#define LENGTH 0.1
#define PULL 3e-3 // × h²; a segment alone resists turning with 1/90 of what the pull does

// Hinged to each other and to the origin, in the plane of y and z; angles from z.
typedef struct Chain {
    Grove g;
    int slot[SEGMENTS];
    Vec3d start[SEGMENTS];
    double angle[SEGMENTS];
} Chain;

#define LANE(field, place) ((field)[(place) % STIFF_LANES])

static void places_of(const double angle[SEGMENTS], Vec3d centre[SEGMENTS], Vec3d *end) {
    *end = (Vec3d){0};
    for (int i = 0; i < SEGMENTS; ++i) {
        Vec3d half = {0.0, -0.5 * LENGTH * sin(angle[i]), 0.5 * LENGTH * cos(angle[i])};
        centre[i] = addd(*end, half);
        *end = addd(centre[i], half);
    }
}

static void put_segment(Chain *c, int i) {
    int at = c->slot[i];
    StiffState *s = &c->g.state[at / STIFF_LANES];
    StiffRest *r = &c->g.rest[at / STIFF_LANES];
    StiffMotion *m = &c->g.motion[at / STIFF_LANES];
    LANE(s->x, at) = LANE(m->fx, at) = c->start[i].x;
    LANE(s->y, at) = LANE(m->fy, at) = c->start[i].y;
    LANE(s->z, at) = LANE(m->fz, at) = c->start[i].z;
    LANE(s->qx, at) = LANE(m->gx, at) = sin(0.5 * c->angle[i]);
    LANE(s->qw, at) = LANE(m->gw, at) = cos(0.5 * c->angle[i]);
    LANE(s->tension, at) = PULL * LENGTH;
    LANE(r->mass, at) = MASS;
    LANE(r->i1, at) = LANE(r->i2, at) = LANE(r->i3, at) = INERTIA;
    LANE(r->end, at) = -0.5 * LENGTH;
    LANE(r->far, at) = i > 0 ? 0.5 * LENGTH : 0.0;
    LANE(r->run, at) = i > 0 ? LENGTH : 0.0;
    LANE(r->uw, at) = LANE(r->sign, at) = LANE(r->hold, at) = LANE(r->rooted, at) = 1.0;
}

static void make_chain(Chain *c, const SnAllocator *allocator) {
    StiffNode node[SEGMENTS];
    int still;
    memset(c, 0, sizeof *c);
    for (int i = 0; i < SEGMENTS; ++i) {
        node[i] = (StiffNode){.parent = i - 1};
        c->angle[i] = 0.15 * (i % 2 ? -1.0 : 1.0) + 0.05 * i;
    }
    StiffNet net = {.nodes = SEGMENTS, .node = node, .stills = 1};
    StiffSlots slots = {.node = c->slot, .still = &still};
    assert_true(sn__grove_schedule(allocator, &c->g, &net, &slots));
    assert_true(sn__grove_reserve_own(allocator, &c->g));
    Vec3d end;
    places_of(c->angle, c->start, &end);
    for (int i = 0; i < SEGMENTS; ++i)
        put_segment(c, i);
    LANE(c->g.state[still / STIFF_LANES].qw, still) = 1.0;
    for (int r = 0; r < c->g.prop_begin; ++r)
        c->g.row[r].standing = c->g.row[r].forward = true;
    int last = c->slot[SEGMENTS - 1];
    StiffMotion *m = &c->g.motion[last / STIFF_LANES];
    LANE(m->pz, last) = PULL;
    LANE(m->ez, last) = PULL * LENGTH;
}

// What inertia has against the chain and the pull for it.
static double potential_of(const Chain *c, const double angle[SEGMENTS]) {
    Vec3d centre[SEGMENTS], end;
    places_of(angle, centre, &end);
    double sum = -PULL * end.z;
    for (int i = 0; i < SEGMENTS; ++i) {
        Vec3d by = subd(centre[i], c->start[i]);
        sum += 0.5 * MASS * dotd(by, by);
    }
    return sum;
}

// Newton's method gets there in a few solves, as it knows the tension that the pull makes in the last segment; and there
// the moments balance, of the pull as the segment stands in the end.
static void pulls_turn_with_the_segment(void **state) {
    (void)state;
    SnAllocator allocator = sn__default_allocator();
    const StiffKernels *kernels = sn__stiff_kernels(SN_ISA_SCALAR);
    Chain c;
    make_chain(&c, &allocator);
    for (int k = 0; k < 6; ++k) {
        c.g.correct = k > 0;
        c.g.turn = 0.0;
        sn__grove_solve(&c.g, kernels, NULL, 1.0);
    }
    assert_true(c.g.turn < 1e-20);
    double angle[SEGMENTS];
    for (int i = 0; i < SEGMENTS; ++i) {
        const StiffState *s = &c.g.state[c.slot[i] / STIFF_LANES];
        angle[i] = 2.0 * atan2(LANE(s->qx, c.slot[i]), LANE(s->qw, c.slot[i]));
    }
    for (int i = 0; i < SEGMENTS; ++i) {
        double now = angle[i], by = 1e-5;
        angle[i] = now + by;
        double more = potential_of(&c, angle);
        angle[i] = now - by;
        double less = potential_of(&c, angle);
        angle[i] = now;
        double moment = (less - more) / (2.0 * by);
        assert_near(moment, INERTIA * 2.0 * tan(0.5 * (now - c.angle[i])), 1e-8 * PULL * LENGTH);
    }
    sn__grove_release(&allocator, &c.g);
}

// Four rods in a row that do not lie in line, or one and a rope, and a weight at their end that straightens them.
typedef struct Swing {
    int rods, segments, substeps;
    float young, radius, rope;
    double ratio;
} Swing;

static SnBodyId add_bar(SnWorld *world, const Swing *s, SnVec3 from, SnVec3 to) {
    SnVec3 x[32];
    assert_in_range(s->segments, 1, 31);
    float part = 1.0f / (float)s->segments;
    line_of_points(x, s->segments + 1, from,
                   sn_vec3(part * (to.x - from.x), part * (to.y - from.y), 0.0f));
    SnRodDef def = stiff_def(x, s->segments + 1, s->radius);
    def.material.young = s->young;
    def.filter.mask = 0;
    return add_rod(world, &def);
}

static SnLinkDef tie(SnWorld *world, SnBodyPoint a, SnBodyPoint b, float rope) {
    SnLinkDef def = sn_default_link_def();
    def.length = 0.0f;
    def.a = a;
    def.b = b;
    def.length = rope;
    def.rope = rope > 0.0f;
    assert_ok(sn_link_create(world, &def, NULL));
    return def;
}

static SnVec3 place_of(const SnWorld *world, SnBodyPoint p) {
    return vertex_at(world, p.body, p.t > 0.0f ? p.element + 1 : p.element);
}

static double energy_of(SnWorld *world) {
    SnMeasures m = sn_world_measure(world);
    return m.energy_kinetic + m.energy_elastic + m.energy_gravity;
}

static void swing(const Swing *s) {
    const float leans[] = {0.3f, 0.8f, 0.1f, 0.6f};
    SnWorld *world = heavy_world();
    SnLinkDef ties[4];
    SnBodyPoint before = {0};
    double mass = 0.0;
    float length = 1.0f / (float)s->rods;
    SnVec3 at = sn_vec3(0, 0, 0);
    for (int i = 0; i < s->rods; ++i) {
        SnVec3 to = sn_vec3(at.x + length * sinf(leans[i]), at.y - length * cosf(leans[i]), 0);
        SnBodyId rod = add_bar(world, s, at, to);
        mass += rod_mass(world, rod);
        SnAttachmentDef hinge = sn_default_attachment_def();
        hinge.body = rod;
        if (i == 0)
            assert_ok(sn_attachment_create(world, &hinge, NULL));
        else
            ties[i - 1] = tie(world, before, (SnBodyPoint){rod, 0, 0.0f}, 0.0f);
        before = (SnBodyPoint){rod, s->segments - 1, 1.0f};
        at = to;
    }
    SnRigidPart part;
    SnVec3 below = sn_vec3(at.x + 0.3f * s->rope, at.y - 0.95f * s->rope, 0);
    SnRigidDef ball = ball_def(&part, below, 0.05f);
    ball.mass = (float)(s->ratio * mass);
    ball.filter.mask = 0;
    ties[s->rods - 1] =
        tie(world, before, (SnBodyPoint){add_rigid(world, &ball), 0, 0.0f}, s->rope);
    double start = energy_of(world), highest = start, worst = 0.0;
    for (int step = 0; step < 180; ++step) {
        uint32_t bits = sn_world_step(world, DT, s->substeps, 1);
        if (bits != SN_STEP_OK)
            fail_msg("%d rods of %d, 1:%g: bits %x in step %d", s->rods, s->segments, s->ratio,
                     bits, step);
        highest = fmax(highest, energy_of(world));
        for (int i = 0; i < s->rods; ++i) {
            double apart = distance(place_of(world, ties[i].a), place_of(world, ties[i].b));
            worst = fmax(worst, apart - (double)ties[i].length);
        }
    }
    double scale = (1.0 + s->ratio) * mass * GRAVITY;
    if (!(highest - start < 0.005 * scale) || !(worst < 1e-3))
        fail_msg("%d rods of %d, 1:%g: gained %g m, open by %g m", s->rods, s->segments, s->ratio,
                 (highest - start) / scale, worst);
    sn_world_destroy(world);
}

static void light_chains_swing_heavy_weights(void **state) {
    (void)state;
    const Swing swings[] = {
        {4, 3, 3, 3e10f, 0.04f, 0.0f, 400.0},
        {4, 28, 10, 1.5e8f, 0.007f, 0.0f, 400.0},
        {1, 8, 10, 4e8f, 0.008f, 0.3f, 750.0},
    };
    for (int k = 0; k < 3; ++k)
        swing(&swings[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulls_turn_with_the_segment),
        cmocka_unit_test(light_chains_swing_heavy_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
