// The wide narrow phase against the exact one (geom/pill.h), pair by pair.
#include "support.h"

#include "collide/contacts.h"
#include "geom/pill.h"

// Candidates near the best one are averaged (collide/narrow.h); their mean is worse than it by this part of the radii
// at most, a quarter of NARROW_TOLERANCE.
#define AVERAGING 7.5e-3

typedef struct Shape {
    SnVec3 a, b; // from the origin of its side
    float ra, rb;
} Shape;

typedef struct Pair {
    Shape first, second;
    float offset[3]; // origin of the first − origin of the second
} Pair;

static SnVec3 along(SnVec3 from, SnVec3 d, float length) {
    return sn_vec3(from.x + length * d.x, from.y + length * d.y, from.z + length * d.z);
}

static SnVec3 direction(Rng *rng) {
    SnQuat q = rng_quat(rng);
    return sn_vec3(2.0f * (q.x * q.z + q.w * q.y), 2.0f * (q.y * q.z - q.w * q.x),
                   1.0f - 2.0f * (q.x * q.x + q.y * q.y));
}

// All aspect ratios, from needles to a sphere in the other.
static Shape random_shape(Rng *rng, SnVec3 at, SnVec3 d) {
    Shape s = {at, at, rng_log(rng, 1e-3, 1.0), 0.0f};
    s.rb = rng_int(rng, 0, 2) ? s.ra * rng_log(rng, 0.1, 10.0) : s.ra;
    int kind = rng_int(rng, 0, 9);
    float length = rng_log(rng, 1e-2, 1e2) * s.ra;
    if (kind == 0)
        length = 0.0f;
    else if (kind == 1) // one sphere in the other, or just not
        length = fabsf(s.ra - s.rb) * rng_float(rng, 0.0, 1.1);
    s.b = along(at, d, length);
    return s;
}

static Pair random_pair(Rng *rng) {
    Pair p = {0};
    SnVec3 d = direction(rng), e = direction(rng);
    p.first = random_shape(rng, rng_vec3(rng, 1.0), d);
    int kind = rng_int(rng, 0, 5);
    if (kind == 0) // parallel
        e = d;
    else if (kind == 1) // nearly
        e = along(d, e, 1e-4f);
    p.second = random_shape(rng, rng_vec3(rng, (double)rng_log(rng, 0.01, 2.0)), e);
    if (kind == 2) { // crossing axes
        float t = rng_float(rng, 0.0, 1.0), u = rng_float(rng, 0.0, 1.0);
        Shape *f = &p.first, *s = &p.second;
        SnVec3 length = sn_vec3(s->b.x - s->a.x, s->b.y - s->a.y, s->b.z - s->a.z);
        SnVec3 on = along(f->a, sn_vec3(f->b.x - f->a.x, f->b.y - f->a.y, f->b.z - f->a.z), t);
        s->a = along(on, length, -u);
        s->b = along(s->a, length, 1.0f);
    }
    // Origins of the packs are whole metres apart; seen from there, numbers stay small.
    for (int c = 0; c < 3 && kind == 3; ++c)
        p.offset[c] = (float)rng_int(rng, -2, 2);
    return p;
}

static Pill exact(const Shape *s, const float offset[3]) {
    Vec3d shift = {(double)offset[0], (double)offset[1], (double)offset[2]};
    return (Pill){addd(vec3d(s->a), shift), addd(vec3d(s->b), shift), (double)s->ra, (double)s->rb};
}

static Knot knot_at(SnVec3 x, float radius) { return (Knot){.start = {x.x, x.y, x.z, radius}}; }

// Up to a row of pairs at once; `used` of them.
static void nearest(const ContactKernels *kernels, const Pair *pairs, int used,
                    ContactNearest *out) {
    static Knot knots[1 + 4 * KNOT_ROW];
    ContactSides sides[KNOT_ROW];
    float offsets[KNOT_ROW][3];
    for (int i = 0; i < used; ++i) {
        int k = 1 + 4 * i;
        knots[k] = knot_at(pairs[i].first.a, pairs[i].first.ra);
        knots[k + 1] = knot_at(pairs[i].first.b, pairs[i].first.rb);
        knots[k + 2] = knot_at(pairs[i].second.a, pairs[i].second.ra);
        knots[k + 3] = knot_at(pairs[i].second.b, pairs[i].second.rb);
        sides[i] = (ContactSides){k, k, k + 1, k + 2, k + 2, k + 3};
        memcpy(offsets[i], pairs[i].offset, sizeof offsets[i]);
    }
    kernels->nearest(sides, (const float(*)[3])offsets, used, knots, out);
}

static double coordinates(const Pair *p) {
    double most = 0.0;
    const SnVec3 *x[] = {&p->first.a, &p->first.b, &p->second.a, &p->second.b};
    for (int k = 0; k < 4; ++k)
        most = fmax(most, distance(*x[k], sn_vec3(0, 0, 0)));
    return most + distance(sn_vec3(p->offset[0], p->offset[1], p->offset[2]), sn_vec3(0, 0, 0));
}

static void check_pair(const Pair *p, const ContactNearest *found, int k) {
    const float none[3] = {0};
    Pill a = exact(&p->first, p->offset), b = exact(&p->second, none);
    PillPair expected = sn__pill_pair(&a, &b);
    double size = fmax(a.radius_a, a.radius_b) + fmax(b.radius_a, b.radius_b);
    double tolerance = AVERAGING * size + 4e-7 * coordinates(p);
    assert_true(found->t >= 0.0f && found->t <= 1.0f && found->u >= 0.0f && found->u <= 1.0f);
    // What is reported is there: the two spheres are as far apart as it says,
    double t = (double)found->t, u = (double)found->u;
    Vec3d d = subd(addd(a.a, scaled(subd(a.b, a.a), t)), addd(b.a, scaled(subd(b.b, b.a), u)));
    double there = lengthd(d) - a.radius_a - t * (a.radius_b - a.radius_a) - b.radius_a -
                   u * (b.radius_b - b.radius_a);
    // and no others are nearer.
    if (!(fabs((double)found->gap - there) <= 2e-6 * (coordinates(p) + size)) ||
        !(fabs((double)found->gap - expected.gap) <= tolerance))
        fail_msg("pair %d: gap %.9g at (%g, %g) is %.9g there, expected %.9g at (%g, %g) ± %g", k,
                 (double)found->gap, t, u, there, expected.gap, expected.t, expected.u, tolerance);
}

static void gaps_are_those_of_the_exact_distance(void **state) {
    (void)state;
    Rng rng = {1};
    const ContactKernels *kernels = sn__contact_kernels(SN_ISA_SCALAR);
    for (int k = 0; k < 40000; k += KNOT_ROW) {
        Pair pairs[KNOT_ROW];
        ContactNearest found[KNOT_ROW];
        for (int i = 0; i < KNOT_ROW; ++i)
            pairs[i] = random_pair(&rng);
        nearest(kernels, pairs, KNOT_ROW, found);
        for (int i = 0; i < KNOT_ROW; ++i)
            check_pair(&pairs[i], &found[i], k + i);
    }
}

static void every_instruction_set_finds_the_same_bits(void **state) {
    (void)state;
    Rng rng = {2};
    for (int k = 0; k < 20000; k += KNOT_ROW) {
        Pair pairs[KNOT_ROW];
        int used = rng_int(&rng, 1, KNOT_ROW); // rows are not always full
        for (int i = 0; i < used; ++i)
            pairs[i] = random_pair(&rng);
        ContactNearest expected[KNOT_ROW], found[KNOT_ROW];
        memset(expected, 0, sizeof expected);
        nearest(sn__contact_kernels(SN_ISA_SCALAR), pairs, used, expected);
        for (int isa = SN_ISA_128; isa <= SN_ISA_AVX512; ++isa) {
            if (!sn_isa_available((SnIsa)isa))
                continue;
            memset(found, 0, sizeof found);
            nearest(sn__contact_kernels((SnIsa)isa), pairs, used, found);
            assert_memory_equal(found, expected, sizeof found);
        }
    }
}

// Sides as their bodies keep them, each from an origin of its own: 10 km out the gap of two pills
// is the same as at home.
static void origins_far_away_do_not_matter(void **state) {
    (void)state;
    Rng rng = {3};
    const ContactKernels *kernels = sn__contact_kernels(SN_ISA_SCALAR);
    for (int k = 0; k < 2000; ++k) {
        Pair home = random_pair(&rng), far;
        memset(home.offset, 0, sizeof home.offset);
        far = home;
        // The second body's lattice is 3 m beside the first one's; both are around (1e4, −1e4, 0).
        double origin_a[3] = {10000.0, -10000.0, 0.0}, origin_b[3] = {10003.0, -10001.0, 2.0};
        float shift[3];
        for (int c = 0; c < 3; ++c) {
            far.offset[c] = (float)(origin_a[c] - origin_b[c]);
            shift[c] = -(float)(origin_b[c] - origin_a[c]);
        }
        SnVec3 s = sn_vec3(shift[0], shift[1], shift[2]);
        far.second.a = along(far.second.a, s, 1.0f);
        far.second.b = along(far.second.b, s, 1.0f);
        ContactNearest at_home, found;
        nearest(kernels, &home, 1, &at_home);
        nearest(kernels, &far, 1, &found);
        double size = (double)(home.first.ra + home.first.rb + home.second.ra + home.second.rb);
        assert_near(found.gap, at_home.gap, AVERAGING * size + 1e-6 * (10.0 + coordinates(&far)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_those_of_the_exact_distance),
        cmocka_unit_test(every_instruction_set_finds_the_same_bits),
        cmocka_unit_test(origins_far_away_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
