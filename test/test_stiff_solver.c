// The direct solver of stiff trees against a dense solve of the same system, eq. 22.
#include "support.h"

#include <stdlib.h>

#include "base/isa.h"
#include "math/vec.h"
#include "stiff/solve.h"

typedef long double Real;

#define MAX_NODES 40
#define RIGID 1e40 // stiffness in place of a compliance of 0

static SnAllocator allocator;

// A joint, as both solvers are told of it. `child` moves against `parent`; either may stand still.
typedef struct TestJoint {
    int child, parent; // bodies
    double end, far;
    Quatd rest;
    double sign;
    double k[3];         // N·m/rad, RIGID: rigid
    double hold;         // of its points, N/m; RIGID but for props and loops
    double give, longer; // along the parent's axis, m/N and m
} TestJoint;

typedef struct TestBody {
    Vec3d x;
    Quatd q;
    double mass, inertia[3], end;
    double impulse[3];
    bool still;
} TestBody;

// Bodies: nodes, then stills; joint i < nodes is that of node i with its parent, then come props, then
// those that close rings.
typedef struct TestTree {
    int nodes, stills, looses, props, loops, bodies, joints;
    TestBody body[3 * MAX_NODES];
    TestJoint joint[2 * MAX_NODES];
    StiffNode node[MAX_NODES];
    int prop_parent[MAX_NODES], prop_body[MAX_NODES];
    double h;
} TestTree;

static Vec3d random_vector(Rng *rng, double size) {
    return (Vec3d){rng_real(rng, -size, size), rng_real(rng, -size, size),
                   rng_real(rng, -size, size)};
}

static Quatd random_turn(Rng *rng, double size) {
    Vec3d v = random_vector(rng, size);
    return normalisedq((Quatd){v.x, v.y, v.z, 1.0});
}

static double random_stiffness(Rng *rng) {
    double pick = rng_real(rng, 0.0, 1.0);
    if (pick < 0.15)
        return RIGID;
    return (double)(1.0f / rng_log(rng, 1e-9, 1e6));
}

static TestBody random_body(Rng *rng, bool still) {
    TestBody b = {.x = random_vector(rng, 1.0), .q = random_turn(rng, 3.0), .still = still};
    b.mass = (double)rng_log(rng, 0.02, 5.0);
    double length = (double)rng_log(rng, 0.1, 1.0), radius = length * rng_real(rng, 0.1, 0.5);
    b.inertia[0] = b.mass * (length * length / 12.0 + radius * radius / 4.0);
    b.inertia[1] = b.inertia[0] * rng_real(rng, 0.5, 1.0);
    b.inertia[2] = b.mass * radius * radius / 2.0;
    for (int c = 0; c < 3; ++c)
        b.impulse[c] = rng_real(rng, 0.0, 1.0) < 0.3 ? rng_real(rng, -1.0, 1.0) * b.mass : 0.0;
    return b;
}

static TestJoint random_joint(Rng *rng, int child, int parent) {
    TestJoint j = {.child = child, .parent = parent, .hold = RIGID};
    j.end = rng_real(rng, -0.5, 0.5);
    j.far = rng_real(rng, -0.5, 0.5);
    j.sign = rng_real(rng, 0.0, 1.0) < 0.5 ? 1.0 : -1.0;
    j.rest = random_turn(rng, 2.0);
    bool hinge = rng_real(rng, 0.0, 1.0) < 0.1;
    double k = hinge ? 0.0 : random_stiffness(rng);
    for (int c = 0; c < 3; ++c)
        j.k[c] = k >= RIGID ? k : k * (double)rng_log(rng, 0.03, 30.0);
    return j;
}

// The child near the place where the joint wants it, so that strains are moderate.
static void join_body(TestTree *t, Rng *rng, const TestJoint *j) {
    TestBody *c = &t->body[j->child];
    const TestBody *p = &t->body[j->parent];
    Quatd off = random_turn(rng, 0.3);
    c->q = j->sign > 0.0 ? mulqd(mulqd(p->q, j->rest), off)
                         : mulqd(mulqd(p->q, off), conjugated(j->rest));
    c->q = normalisedq(c->q);
    Vec3d at = addd(p->x, scaled(axis_z(p->q), j->far));
    c->x = addd(subd(at, scaled(axis_z(c->q), j->end)), random_vector(rng, 0.05));
}

static void random_tree(TestTree *t, Rng *rng, int most) {
    memset(t, 0, sizeof *t);
    t->nodes = 1 + (int)(rng_next(rng) % (uint64_t)most);
    t->h = (double)rng_log(rng, 1e-3, 0.04);
    double branching = rng_real(rng, 0.0, 1.0);
    Rng other = *rng;
    double stretching = rng_real(&other, -1.0, 1.0); // half of them are held once
    for (int i = 0; i < t->nodes; ++i)
        t->body[i] = random_body(rng, false);
    t->bodies = t->joints = t->nodes;
    for (int i = 0; i < t->nodes; ++i) {
        bool root = i == 0 || rng_real(rng, 0.0, 1.0) < 0.1;
        int up = i - 1;
        if (!root && rng_real(rng, 0.0, 1.0) < branching)
            up = (int)(rng_next(rng) % (uint64_t)i);
        t->node[i].parent = root ? -1 : up;
        TestJoint *j = &t->joint[i];
        if (root && rng_real(rng, 0.0, 1.0) < 0.5) {
            *j = (TestJoint){.child = i, .parent = -1, .sign = 1.0, .rest = {0, 0, 0, 1}};
            t->node[i].root = ~t->looses++;
        } else if (root) {
            t->body[t->bodies] = random_body(rng, true);
            *j = random_joint(rng, i, t->bodies++);
            t->node[i].root = t->stills++;
            join_body(t, rng, j);
        } else {
            *j = random_joint(rng, i, up);
            join_body(t, rng, j);
            if (rng_real(&other, 0.0, 1.0) < stretching) {
                j->give = (double)rng_log(&other, 1e-6, 10.0) * t->h * t->h;
                j->longer = rng_real(&other, -0.1, 0.1);
            }
        }
        t->body[i].end = j->end;
    }
    for (int i = 0; i < t->nodes; ++i) {
        if (rng_real(rng, 0.0, 1.0) > 0.15)
            continue;
        t->body[t->bodies] = random_body(rng, true);
        TestJoint j = random_joint(rng, t->bodies, i);
        j.hold = (double)rng_log(rng, 0.1, 10.0) / (t->h * t->h);
        for (int c = 0; c < 3; ++c)
            j.k[c] = j.k[c] > 10.0 ? 10.0 : j.k[c];
        t->prop_body[t->props] = t->bodies++;
        t->prop_parent[t->props++] = i;
        join_body(t, rng, &j);
        t->joint[t->joints++] = j;
    }
}

// Any two segments, wherever they are.
static void close_rings(TestTree *t, Rng *rng, int most) {
    for (t->loops = 0; t->loops < most && t->nodes > 2; ++t->loops) {
        int a = (int)(rng_next(rng) % (uint64_t)t->nodes);
        int b = (a + 1 + (int)(rng_next(rng) % (uint64_t)(t->nodes - 1))) % t->nodes;
        TestJoint j = random_joint(rng, b, a);
        j.sign = 1.0;
        j.rest = mulqd(mulqd(conjugated(t->body[a].q), t->body[b].q), random_turn(rng, 0.3));
        j.hold = (double)rng_log(rng, 0.1, 1e3) / (t->h * t->h);
        for (int c = 0; c < 3; ++c)
            j.k[c] = fmin(j.k[c], 10.0);
        t->joint[t->joints++] = j;
    }
}

#define LANE(field, place) ((field)[(place) % STIFF_LANES])

static void put_body(Grove *g, int at, const TestBody *b) {
    StiffState *s = &g->state[at / STIFF_LANES];
    StiffRest *r = &g->rest[at / STIFF_LANES];
    StiffMotion *m = &g->motion[at / STIFF_LANES];
    LANE(s->x, at) = b->x.x;
    LANE(s->y, at) = b->x.y;
    LANE(s->z, at) = b->x.z;
    LANE(s->qx, at) = b->q.x;
    LANE(s->qy, at) = b->q.y;
    LANE(s->qz, at) = b->q.z;
    LANE(s->qw, at) = b->q.w;
    if (b->still)
        return;
    LANE(r->mass, at) = b->mass;
    LANE(r->i1, at) = b->inertia[0];
    LANE(r->i2, at) = b->inertia[1];
    LANE(r->i3, at) = b->inertia[2];
    LANE(r->end, at) = b->end;
    LANE(m->px, at) = b->impulse[0];
    LANE(m->py, at) = b->impulse[1];
    LANE(m->pz, at) = b->impulse[2];
    // It acts on the centre: its moment about the joint.
    Vec3d arm = scaled(axis_z(b->q), -b->end);
    Vec3d moment = crossd(arm, (Vec3d){b->impulse[0], b->impulse[1], b->impulse[2]});
    LANE(m->mx, at) = moment.x;
    LANE(m->my, at) = moment.y;
    LANE(m->mz, at) = moment.z;
}

static void put_joint(Grove *g, int at, const TestTree *t, const TestJoint *j) {
    StiffRest *r = &g->rest[at / STIFF_LANES];
    LANE(r->end, at) = j->end;
    LANE(r->far, at) = j->far;
    LANE(r->run, at) =
        j->parent >= 0 && !t->body[j->parent].still ? j->far - t->body[j->parent].end : 0.0;
    LANE(r->ux, at) = j->rest.x;
    LANE(r->uy, at) = j->rest.y;
    LANE(r->uz, at) = j->rest.z;
    LANE(r->uw, at) = j->rest.w;
    LANE(r->sign, at) = j->sign;
    LANE(r->kx, at) = j->k[0];
    LANE(r->ky, at) = j->k[1];
    LANE(r->kz, at) = j->k[2];
    LANE(r->hold, at) = j->parent < 0 ? 0.0 : 1.0;
    if (t->body[j->child].still)
        LANE(r->mass, at) = j->hold * t->h * t->h;
}

typedef struct Planted {
    Grove g;
    int node[MAX_NODES], prop[MAX_NODES], still[MAX_NODES], loose[MAX_NODES];
} Planted;

static void plant(const TestTree *t, Planted *p) {
    memset(p, 0, sizeof *p);
    StiffNet net = {t->nodes, t->node, t->props, t->prop_parent, t->stills, t->looses};
    StiffSlots places = {p->node, p->prop, p->still, p->loose, NULL};
    assert_true(sn__grove_schedule(&allocator, &p->g, &net, &places));
    assert_true(sn__grove_reserve_own(&allocator, &p->g));
    bool stretches = false;
    for (int i = 0; i < t->nodes; ++i) {
        put_body(&p->g, p->node[i], &t->body[i]);
        put_joint(&p->g, p->node[i], t, &t->joint[i]);
        stretches |= t->joint[i].give > 0.0;
    }
    assert_true(sn__grove_reserve_stretch(&allocator, &p->g, stretches));
    for (int i = 0; i < t->nodes && stretches; ++i) {
        LANE(p->g.stretch[p->node[i] / STIFF_LANES].give, p->node[i]) = t->joint[i].give;
        LANE(p->g.stretch[p->node[i] / STIFF_LANES].longer, p->node[i]) = t->joint[i].longer;
    }
    for (int r = 0; r < p->g.prop_begin; ++r) {
        p->g.row[r].standing = p->g.row[r].forward = true; // and yet they gape before a first solve
        for (int i = 0; i < p->g.row[r].count; ++i)
            p->g.row[r].forward &= p->g.rest[r].sign[i] > 0.0;
    }
    for (int k = 0; k < t->stills; ++k)
        for (int i = 0; i < t->nodes; ++i)
            if (t->node[i].parent < 0 && t->node[i].root == k)
                put_body(&p->g, p->still[k], &t->body[t->joint[i].parent]);
    for (int k = 0; k < t->props; ++k) {
        put_body(&p->g, p->prop[k], &t->body[t->prop_body[k]]);
        put_joint(&p->g, p->prop[k], t, &t->joint[t->nodes + k]);
    }
    p->g.loops = sn__alloc_array(&allocator, (size_t)t->loops, sizeof(StiffLoop));
    p->g.loop_count = p->g.loop_capacity = t->loops;
    for (int k = 0; k < t->loops; ++k) {
        const TestJoint *j = &t->joint[t->nodes + t->props + k];
        p->g.loops[k] = (StiffLoop){.slot = {p->node[j->parent], p->node[j->child]},
                                    .end = {j->far, j->end},
                                    .rest = j->rest,
                                    .k = {j->k[0], j->k[1], j->k[2]},
                                    .hold = j->hold,
                                    .most = 1e30};
    }
    assert_true(sn__grove_reserve_fronts(&allocator, &p->g));
}

// Of the centre, from the motion of the own joint's point.
static void motion_at(const TestTree *t, int i, Vec3d point, Vec3d turn, Real out[6]) {
    Vec3d arm = scaled(axis_z(t->body[i].q), -t->body[i].end);
    Vec3d by = addd(point, crossd(turn, arm));
    const double values[6] = {by.x, by.y, by.z, turn.x, turn.y, turn.z};
    for (int c = 0; c < 6; ++c)
        out[c] = (Real)values[c];
}

// Displacements and turns of the nodes by the solver: what their poses changed by.
static void solve_direct(const TestTree *t, SnIsa isa, Real (*out)[6]) {
    static Planted p;
    plant(t, &p);
    sn__grove_solve(&p.g, sn__stiff_kernels(isa), NULL, t->h);
    for (int i = 0; i < t->nodes; ++i) {
        const StiffMotion *m = &p.g.motion[p.node[i] / STIFF_LANES];
        int at = p.node[i];
        motion_at(t, i, (Vec3d){LANE(m->tx, at), LANE(m->ty, at), LANE(m->tz, at)},
                  (Vec3d){LANE(m->rx, at), LANE(m->ry, at), LANE(m->rz, at)}, out[i]);
    }
    sn__grove_release(&allocator, &p.g);
}

// Dense matrix with right side, solved by elimination with pivoting.
static void solve_dense(Real *a, Real *b, int n) {
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (fabsl(a[i * n + k]) > fabsl(a[best * n + k]))
                best = i;
        for (int c = 0; c < n; ++c) {
            Real swap = a[k * n + c];
            a[k * n + c] = a[best * n + c];
            a[best * n + c] = swap;
        }
        Real swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = k + 1; i < n; ++i) {
            Real factor = a[i * n + k] / a[k * n + k];
            if (factor == 0.0L)
                continue;
            for (int c = k; c < n; ++c)
                a[i * n + c] -= factor * a[k * n + c];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n; k-- > 0;) {
        for (int c = k + 1; c < n; ++c)
            b[k] -= a[k * n + c] * b[c];
        b[k] /= a[k * n + k];
    }
}

// Strain of a joint, 2 Im(rel), when the child is turned by a small rotation `by` of the world (as
// a quaternion that need not be of unit length).
static Vec3d strain_with(const TestTree *t, const TestJoint *j, Quatd by) {
    Quatd c = mulqd(by, t->body[j->child].q), p = t->body[j->parent].q;
    Quatd stem = mulqd(j->sign > 0.0 ? p : c, j->rest), other = j->sign > 0.0 ? c : p;
    Quatd rel = mulqd(conjugated(stem), other);
    return (Vec3d){2.0 * rel.x, 2.0 * rel.y, 2.0 * rel.z};
}

static double side_of(const TestTree *t, const TestJoint *j) {
    Quatd c = t->body[j->child].q, p = t->body[j->parent].q;
    Quatd stem = mulqd(j->sign > 0.0 ? p : c, j->rest), other = j->sign > 0.0 ? c : p;
    return mulqd(conjugated(stem), other).w < 0.0 ? -1.0 : 1.0;
}

// [M −Jᵀ; −J −α̃] [Δx; Δλ] = [impulse; C], with C = (p_parent − p_child, strain), or 0 if nothing is
// strained.
static void solve_kkt(const TestTree *t, bool strained, Real (*out)[6]) {
    int n = 6 * t->nodes, rows = n;
    for (int k = 0; k < t->joints; ++k)
        rows += t->joint[k].parent >= 0 ? 6 : 0;
    assert_in_range(rows, 6, 1000);
    Real *a = calloc((size_t)rows * (size_t)rows, sizeof(Real));
    Real *b = calloc((size_t)rows, sizeof(Real));
    for (int i = 0; i < t->nodes; ++i) {
        const TestBody *body = &t->body[i];
        Vec3d axis[3] = {rotated(body->q, (Vec3d){1, 0, 0}), rotated(body->q, (Vec3d){0, 1, 0}),
                         rotated(body->q, (Vec3d){0, 0, 1})};
        for (int c = 0; c < 3; ++c) {
            a[(6 * i + c) * rows + 6 * i + c] = (Real)body->mass;
            b[6 * i + c] = (Real)body->impulse[c];
            for (int d = 0; d < 3; ++d)
                for (int k = 0; k < 3; ++k)
                    a[(6 * i + 3 + c) * rows + 6 * i + 3 + d] +=
                        (Real)body->inertia[k] * (Real)(&axis[k].x)[c] * (Real)(&axis[k].x)[d];
        }
    }
    int row = n;
    for (int k = 0; k < t->joints; ++k) {
        const TestJoint *j = &t->joint[k];
        if (j->parent < 0)
            continue;
        const TestBody *c = &t->body[j->child], *p = &t->body[j->parent];
        Vec3d arm_c = scaled(axis_z(c->q), j->end), along = axis_z(p->q);
        Vec3d arm_p = scaled(along, j->far + j->longer);
        Vec3d gap = subd(addd(p->x, scaled(along, j->far)), addd(c->x, arm_c));
        double side = side_of(t, j);
        Vec3d strain = strain_with(t, j, (Quatd){0, 0, 0, 1});
        Real jac[2][6][6] = {{{0}}};
        for (int d = 0; d < 3; ++d) {
            Vec3d e = {d == 0, d == 1, d == 2};
            // A point turns by e × arm; a strain by half of e as a quaternion.
            Vec3d by_c = crossd(e, arm_c), by_p = crossd(e, arm_p);
            Vec3d with = strain_with(t, j, (Quatd){0.5 * e.x, 0.5 * e.y, 0.5 * e.z, 0.0});
            for (int r = 0; r < 3; ++r) {
                jac[0][r][3 + d] = -(Real)(&by_c.x)[r];
                jac[1][r][3 + d] = (Real)(&by_p.x)[r];
                jac[0][3 + r][3 + d] = (Real)(side * (&with.x)[r]);
                jac[1][3 + r][3 + d] = -(Real)(side * (&with.x)[r]);
            }
            jac[0][d][d] = -1.0L;
            jac[1][d][d] = 1.0L;
        }
        for (int r = 0; r < 6; ++r) {
            b[row + r] = r < 3 ? (Real)(&gap.x)[r] : (Real)(side * (&strain.x)[r - 3]);
            Real h2 = (Real)(t->h * t->h);
            double stiff = r < 3 ? j->hold : j->k[r - 3];
            Real alpha = stiff >= RIGID ? 0.0L : 1.0L / ((Real)stiff * h2);
            if (stiff == 0.0) { // a hinge: no multiplier
                a[(row + r) * rows + row + r] = 1.0L;
                b[row + r] = 0.0L;
                continue;
            }
            a[(row + r) * rows + row + r] = -alpha;
            for (int d = 0; d < 3 && r < 3; ++d)
                a[(row + r) * rows + row + d] -=
                    (Real)(j->give * (&along.x)[r] * (&along.x)[d]) / h2;
            for (int s = 0; s < 2; ++s) {
                int body = s == 0 ? j->child : j->parent;
                if (t->body[body].still)
                    continue;
                for (int d = 0; d < 6; ++d) {
                    a[(row + r) * rows + 6 * body + d] = -jac[s][r][d];
                    a[(6 * body + d) * rows + row + r] = -jac[s][r][d];
                }
            }
        }
        row += 6;
    }
    for (int r = n; r < rows && !strained; ++r)
        b[r] = 0.0L;
    solve_dense(a, b, rows);
    for (int i = 0; i < t->nodes; ++i)
        for (int c = 0; c < 6; ++c)
            out[i][c] = b[6 * i + c];
    free(a);
    free(b);
}

// Largest difference relative to the largest motion.
static double difference(int nodes, Real (*a)[6], Real (*b)[6]) {
    Real worst = 0.0L, most = 1e-6L;
    for (int i = 0; i < nodes; ++i)
        for (int c = 0; c < 6; ++c) {
            worst = fmaxl(worst, fabsl(a[i][c] - b[i][c]));
            most = fmaxl(most, fabsl(b[i][c]));
        }
    return (double)(worst / most);
}

static void random_trees_agree_with_a_dense_solve(void **state) {
    (void)state;
    Rng rng = {7};
    double worst = 0.0;
    static TestTree t;
    for (int k = 0; k < 4000; ++k) {
        Real direct[MAX_NODES][6], dense[MAX_NODES][6];
        random_tree(&t, &rng, k % 100 == 0 ? MAX_NODES : 8);
        solve_direct(&t, sn__isa_best(), direct);
        solve_kkt(&t, true, dense);
        double off = difference(t.nodes, direct, dense);
        worst = off > worst ? off : worst;
        if (!(off < 1e-10))
            fail_msg("tree %d of %d segments, %d props: off by %g", k, t.nodes, t.props, off);
    }
    print_message("worst difference of 4000 trees: %.2g\n", worst);
}

static void rings_agree_with_a_dense_solve(void **state) {
    (void)state;
    Rng rng = {17};
    double worst = 0.0;
    static TestTree t;
    for (int k = 0; k < 1000; ++k) {
        Real direct[MAX_NODES][6], dense[MAX_NODES][6];
        random_tree(&t, &rng, k % 100 == 0 ? MAX_NODES : 8);
        close_rings(&t, &rng, 1 + k % 5);
        solve_direct(&t, sn__isa_best(), direct);
        solve_kkt(&t, true, dense);
        double off = difference(t.nodes, direct, dense);
        worst = off > worst ? off : worst;
        if (!(off < 1e-6))
            fail_msg("tree %d of %d segments, %d loops: off by %g", k, t.nodes, t.loops, off);
    }
    print_message("worst difference of 1000 graphs: %.2g\n", worst);
}

static void every_instruction_set_has_the_same_bits(void **state) {
    (void)state;
    Rng rng = {11};
    static TestTree t;
    for (int k = 0; k < 200; ++k) {
        Real first[MAX_NODES][6];
        random_tree(&t, &rng, MAX_NODES);
        close_rings(&t, &rng, k % 4);
        solve_direct(&t, SN_ISA_SCALAR, first);
        for (SnIsa isa = SN_ISA_128; isa <= sn__isa_best(); ++isa) {
            Real other[MAX_NODES][6];
            if (sn__stiff_kernels(isa) == NULL)
                continue;
            solve_direct(&t, isa, other);
            for (int i = 0; i < t.nodes; ++i)
                for (int c = 0; c < 6; ++c)
                    assert_true(first[i][c] == other[i][c]);
        }
    }
}

// After a solve, what impulses do without moving anything, and how one segment answers alone; in nets, with
// all of their rings.
static void replies_and_answers_agree_with_a_dense_solve(void **state) {
    (void)state;
    Rng rng = {13};
    static TestTree t;
    static Planted p;
    const StiffKernels *kernels = sn__stiff_kernels(sn__isa_best());
    for (int k = 0; k < 500; ++k) {
        Real dense[MAX_NODES][6], reply[MAX_NODES][6];
        random_tree(&t, &rng, k % 50 == 0 ? MAX_NODES : 8);
        close_rings(&t, &rng, k % 5 > 1 ? k % 5 : 0); // a ring alone is not asked
        int one = (int)(rng_next(&rng) % (uint64_t)t.nodes);
        bool alone = k % 2 == 0;
        for (int i = 0; i < t.nodes; ++i)
            for (int c = 0; c < 3; ++c)
                t.body[i].impulse[c] = alone && i != one ? 0.0 : rng_real(&rng, -1.0, 1.0);
        plant(&t, &p);
        assert_true(sn__grove_reserve_compliance(&allocator, &p.g));
        assert_true(sn__grove_reserve_response(&allocator, &p.g));
        double impulse[MAX_NODES][6];
        for (int i = 0; i < t.nodes; ++i)
            for (int c = 0; c < 6; ++c)
                impulse[i][c] = LANE((&p.g.motion[p.node[i] / STIFF_LANES].px)[c], p.node[i]);
        sn__grove_solve(&p.g, kernels, NULL, t.h);
        for (int i = 0; i < t.nodes; ++i)
            for (int c = 0; c < 6; ++c)
                LANE(p.g.response[p.node[i] / STIFF_LANES].g[c], p.node[i]) = impulse[i][c];
        double m[6];
        for (int c = 0; c < 6; ++c)
            m[c] = LANE(p.g.response[p.node[one] / STIFF_LANES].g[c], p.node[one]);
        sn__grove_response(&p.g, kernels, NULL);
        sn__grove_compliance(&p.g, kernels, NULL);
        for (int i = 0; i < t.nodes; ++i) {
            const StiffResponse *r = &p.g.response[p.node[i] / STIFF_LANES];
            int at = p.node[i];
            motion_at(&t, i, (Vec3d){LANE(r->t[0], at), LANE(r->t[1], at), LANE(r->t[2], at)},
                      (Vec3d){LANE(r->r[0], at), LANE(r->r[1], at), LANE(r->r[2], at)}, reply[i]);
        }
        solve_kkt(&t, false, dense);
        assert_below(difference(t.nodes, reply, dense), t.loops > 0 ? 1e-6 : 1e-9);
        if (alone) {
            const StiffCompliance *give = &p.g.compliance[p.node[one] / STIFF_LANES];
            const StiffResponse *r = &p.g.response[p.node[one] / STIFF_LANES];
            int at = p.node[one];
            static const int sym[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
            for (int c = 0; c < 3; ++c) {
                double by = 0.0, turn = 0.0;
                for (int d = 0; d < 3; ++d) {
                    by += LANE(give->tt[sym[c][d]], at) * m[d] +
                          LANE(give->rt[3 * d + c], at) * m[3 + d];
                    turn += LANE(give->rt[3 * c + d], at) * m[d] +
                            LANE(give->rr[sym[c][d]], at) * m[3 + d];
                }
                double size = 1e-6 + fabs(LANE(r->t[c], at)) + fabs(LANE(r->r[c], at));
                assert_near(by, LANE(r->t[c], at), 1e-8 * size);
                assert_near(turn, LANE(r->r[c], at), 1e-8 * size);
            }
        }
        sn__grove_release(&allocator, &p.g);
    }
}

// What the multipliers stand for is the strain that the linear solution leaves: C + A (θ − θ_parent).
static void multipliers_stand_for_the_strain_that_is_left(void **state) {
    (void)state;
    Rng rng = {17};
    static TestTree t;
    static Planted p;
    int forward = 0, backward = 0;
    for (int k = 0; k < 500; ++k) {
        random_tree(&t, &rng, MAX_NODES);
        plant(&t, &p);
        sn__grove_solve(&p.g, sn__stiff_kernels(sn__isa_best()), NULL, t.h);
        for (int i = 0; i < t.nodes; ++i) {
            const TestJoint *j = &t.joint[i];
            int at = p.node[i], up = p.g.row[at / STIFF_LANES].parent[at % STIFF_LANES];
            const StiffMotion *m = &p.g.motion[at / STIFF_LANES];
            const StiffMotion *of = &p.g.motion[up / STIFF_LANES];
            if (j->parent < 0 || !(j->k[0] > 0.0))
                continue;
            Quatd by = {0.5 * (LANE(m->rx, at) - LANE(of->rx, up)),
                        0.5 * (LANE(m->ry, at) - LANE(of->ry, up)),
                        0.5 * (LANE(m->rz, at) - LANE(of->rz, up)), 1.0};
            Vec3d left = scaled(strain_with(&t, j, by), side_of(&t, j));
            double size = 1e-9 * (1.0 + fabs(by.x) + fabs(by.y) + fabs(by.z));
            assert_near(LANE(m->sx, at), left.x, size);
            assert_near(LANE(m->sy, at), left.y, size);
            assert_near(LANE(m->sz, at), left.z, size);
            forward += p.g.row[at / STIFF_LANES].forward;
            backward += j->sign < 0.0;
        }
        sn__grove_release(&allocator, &p.g);
    }
    assert_true(forward > 1000 && backward > 1000);
}

int main(void) {
    allocator = sn__default_allocator();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_agree_with_a_dense_solve),
        cmocka_unit_test(rings_agree_with_a_dense_solve),
        cmocka_unit_test(replies_and_answers_agree_with_a_dense_solve),
        cmocka_unit_test(multipliers_stand_for_the_strain_that_is_left),
        cmocka_unit_test(every_instruction_set_has_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
