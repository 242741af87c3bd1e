// Stiff rods that something heavy pulls at: what the forces of links do turns with the segments.
#include "base/isa.h"
#include "math/vec.h"
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulls_turn_with_the_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
