#include "bench/rods_reference.h"

#include "bench/stiff_inside.h"
#include "stiff/stiff.h"

#include <stdlib.h>

typedef struct ReferenceBody {
    Vec3d x;
    Quatd q;
    double weight;     // 1/mass, 0: it is fixed
    double turning[3]; // 1/moments of inertia about its own axes
} ReferenceBody;

typedef struct ReferenceJoint {
    int a, b; // bodies
    double end_a, end_b;
    Quatd rest;
    double compliance[3]; // α̃ of bending and twist; that of stretch is 0
    double lambda[6];
} ReferenceJoint;

struct Reference {
    SnBodyId rod;
    int bodies, joints;
    ReferenceBody *body;
    ReferenceJoint *joint;
};

static Quatd turned(Quatd q, Vec3d by) {
    Quatd dq = mulqd((Quatd){0.5 * by.x, 0.5 * by.y, 0.5 * by.z, 0.0}, q);
    return normalisedq((Quatd){q.x + dq.x, q.y + dq.y, q.z + dq.z, q.w + dq.w});
}

static ReferenceBody body_of(const StiffRod *tree, int j, double h, Vec3d force) {
    StiffPose pose = sn__stiff_pose(tree, j);
    const StiffSegment *s = &tree->segment[j];
    ReferenceBody body = {.x = pose.x, .q = pose.q};
    if (sn__stiff_is_fixed(tree, j))
        return body;
    body.weight = 1.0 / s->mass;
    for (int k = 0; k < 3; ++k)
        body.turning[k] = 1.0 / s->inertia[k];
    body.x = addd(pose.x, addd(scaled(pose.v, h), scaled(force, h * h * body.weight)));
    body.q = turned(pose.q, scaled(pose.w, h));
    return body;
}

static ReferenceJoint joint_of(const StiffRod *tree, const StiffJoint *from, double h) {
    ReferenceJoint joint = {from->a, from->b, from->end_a, from->end_b, from->rest, {0}, {0}};
    double k[3];
    sn__stiff_joint_stiffness(tree, from, k);
    for (int c = 0; c < 3; ++c)
        joint.compliance[c] = 1.0 / (k[c] * h * h);
    return joint;
}

static Reference *allocate(int bodies, int joints) {
    Reference *reference = calloc(1, sizeof *reference);
    if (reference == NULL)
        return NULL;
    reference->bodies = bodies;
    reference->joints = joints;
    reference->body = calloc((size_t)bodies, sizeof *reference->body);
    reference->joint = calloc((size_t)joints + 1, sizeof *reference->joint);
    if (reference->body && reference->joint)
        return reference;
    reference_destroy(reference);
    return NULL;
}

SnResult reference_create(const SnWorld *world, SnBodyId rod, double h, SnVec3 force,
                          Reference **out) {
    const StiffRod *tree = stiff_inside(world, rod);
    *out = NULL;
    if (tree == NULL)
        return sn_error(SN_ERROR_INVALID, "the rod is not stiff");
    Reference *reference = allocate(tree->segments, tree->joints);
    if (reference == NULL)
        return sn_error(SN_ERROR_MEMORY, "no memory for %d joints", tree->joints);
    reference->rod = rod;
    for (int j = 0; j < tree->segments; ++j)
        reference->body[j] =
            body_of(tree, j, h, j == tree->segments - 1 ? vec3d(force) : (Vec3d){0});
    for (int k = 0; k < tree->joints; ++k)
        reference->joint[k] = joint_of(tree, &tree->joint[k], h);
    *out = reference;
    return sn_ok();
}

void reference_destroy(Reference *reference) {
    if (reference == NULL)
        return;
    free(reference->body);
    free(reference->joint);
    free(reference);
}

void reference_push(Reference *reference, const SnWorld *world) {
    const StiffRod *tree = stiff_inside(world, reference->rod);
    const Grove *grove = &tree->system->groves[tree->grove].g;
    for (int j = 0; j < reference->bodies; ++j) {
        const StiffMotion *m = &grove->motion[tree->slot[j] / STIFF_LANES];
        int i = tree->slot[j] % STIFF_LANES;
        ReferenceBody *body = &reference->body[j];
        if (body->weight > 0)
            body->x = (Vec3d){m->fx[i], m->fy[i], m->fz[i]};
    }
}

// Eq. 23 without 1/l, and what its derivatives need.
typedef struct Constraint {
    double left[6]; // −C − α̃λ
    Vec3d arm_a, arm_b;
    Quatd stem, bent; // a's frame turned as b was at rest; b's frame seen from it
} Constraint;

static double largest(const double v[6]) {
    double most = 0.0;
    for (int k = 0; k < 6; ++k)
        most = fmax(most, fabs(v[k]));
    return most;
}

static Constraint constraint_at(const Reference *reference, const ReferenceJoint *j) {
    const ReferenceBody *a = &reference->body[j->a], *b = &reference->body[j->b];
    Constraint c;
    c.arm_a = scaled(axis_z(a->q), j->end_a);
    c.arm_b = scaled(axis_z(b->q), j->end_b);
    c.stem = mulqd(a->q, j->rest);
    c.bent = mulqd(conjugated(c.stem), b->q);
    double sign = c.bent.w < 0.0 ? -1.0 : 1.0;
    c.bent = (Quatd){sign * c.bent.x, sign * c.bent.y, sign * c.bent.z, sign * c.bent.w};
    Vec3d gap = subd(addd(a->x, c.arm_a), addd(b->x, c.arm_b));
    const double strain[3] = {2.0 * c.bent.x, 2.0 * c.bent.y, 2.0 * c.bent.z};
    c.left[0] = -gap.x;
    c.left[1] = -gap.y;
    c.left[2] = -gap.z;
    for (int k = 0; k < 3; ++k)
        c.left[3 + k] = -strain[k] - j->compliance[k] * j->lambda[3 + k];
    return c;
}

double reference_residual(const Reference *reference) {
    double most = 0.0;
    for (int k = 0; k < reference->joints; ++k)
        most = fmax(most, largest(constraint_at(reference, &reference->joint[k]).left));
    return most;
}

static void set_cross(double rows[3][3], Vec3d v, double sign) {
    rows[0][0] = rows[1][1] = rows[2][2] = 0.0;
    rows[0][1] = -sign * v.z;
    rows[0][2] = sign * v.y;
    rows[1][0] = sign * v.z;
    rows[1][2] = -sign * v.x;
    rows[2][0] = -sign * v.y;
    rows[2][1] = sign * v.x;
}

// Rows of eqs 25 and 26 that belong to a turn: of the gap, ∓[arm]×; of the strain 2 Im(bent),
// ∓(w − [v]×)Rᵀ, R that of the stem.
static void turn_rows(const Constraint *c, Vec3d arm, double side, double out[6][3]) {
    Vec3d v = {c->bent.x, c->bent.y, c->bent.z};
    set_cross(out, arm, -side);
    const Vec3d axes[3] = {rotated(c->stem, (Vec3d){1.0, 0.0, 0.0}),
                           rotated(c->stem, (Vec3d){0.0, 1.0, 0.0}), axis_z(c->stem)};
    double cross[3][3];
    set_cross(cross, v, -1.0);
    for (int r = 0; r < 3; ++r) {
        cross[r][r] = c->bent.w;
        Vec3d row = {0};
        for (int k = 0; k < 3; ++k)
            row = addd(row, scaled(axes[k], cross[r][k]));
        out[3 + r][0] = -side * row.x;
        out[3 + r][1] = -side * row.y;
        out[3 + r][2] = -side * row.z;
    }
}

// W Jᵀ for the body's inverse inertia W in the world, as rows by constraint.
static void weigh(const ReferenceBody *body, double rows[6][3], double out[6][3]) {
    const Vec3d axes[3] = {rotated(body->q, (Vec3d){1.0, 0.0, 0.0}),
                           rotated(body->q, (Vec3d){0.0, 1.0, 0.0}), axis_z(body->q)};
    for (int r = 0; r < 6; ++r) {
        Vec3d row = {rows[r][0], rows[r][1], rows[r][2]}, sum = {0};
        for (int k = 0; k < 3; ++k)
            sum = addd(sum, scaled(axes[k], body->turning[k] * dotd(axes[k], row)));
        out[r][0] = sum.x;
        out[r][1] = sum.y;
        out[r][2] = sum.z;
    }
}

// Cholesky, in place; the right side becomes the solution.
static void solve6(double m[6][6], double x[6]) {
    for (int c = 0; c < 6; ++c)
        for (int r = c; r < 6; ++r) {
            double sum = m[r][c];
            for (int k = 0; k < c; ++k)
                sum -= m[r][k] * m[c][k];
            m[r][c] = r == c ? sqrt(sum) : sum / m[c][c];
        }
    for (int r = 0; r < 6; ++r) {
        for (int k = 0; k < r; ++k)
            x[r] -= m[r][k] * x[k];
        x[r] /= m[r][r];
    }
    for (int r = 5; r >= 0; --r) {
        for (int k = r + 1; k < 6; ++k)
            x[r] -= m[k][r] * x[k];
        x[r] /= m[r][r];
    }
}

static void move(ReferenceBody *body, double side, const double d[6], double weighed[6][3]) {
    Vec3d turn = {0};
    for (int r = 0; r < 6; ++r)
        turn = addd(turn, scaled((Vec3d){weighed[r][0], weighed[r][1], weighed[r][2]}, d[r]));
    body->x = addd(body->x, scaled((Vec3d){d[0], d[1], d[2]}, side * body->weight));
    body->q = turned(body->q, turn);
}

// Eqs 21 and 20.
static double settle(Reference *reference, ReferenceJoint *j) {
    ReferenceBody *a = &reference->body[j->a], *b = &reference->body[j->b];
    Constraint c = constraint_at(reference, j);
    double of_a[6][3], of_b[6][3], weighed_a[6][3], weighed_b[6][3], m[6][6];
    double residual = largest(c.left);
    turn_rows(&c, c.arm_a, 1.0, of_a);
    turn_rows(&c, c.arm_b, -1.0, of_b);
    weigh(a, of_a, weighed_a);
    weigh(b, of_b, weighed_b);
    for (int r = 0; r < 6; ++r) {
        for (int k = 0; k <= r; ++k) {
            m[r][k] = 0.0;
            for (int i = 0; i < 3; ++i)
                m[r][k] += of_a[r][i] * weighed_a[k][i] + of_b[r][i] * weighed_b[k][i];
        }
        m[r][r] += r < 3 ? a->weight + b->weight : j->compliance[r - 3];
    }
    solve6(m, c.left);
    for (int k = 0; k < 6; ++k)
        j->lambda[k] += c.left[k];
    move(a, 1.0, c.left, weighed_a);
    move(b, -1.0, c.left, weighed_b);
    return residual;
}

double reference_sweep(Reference *reference) {
    double met = 0.0;
    for (int k = 0; k < reference->joints; ++k)
        met = fmax(met, settle(reference, &reference->joint[k]));
    return met;
}
