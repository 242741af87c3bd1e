// From a definition to a solid: particles, the graph, and what edges are worth.
//
// **Edges.** Young's modulus E is that of the continuum. Under a strain ε along t an edge along n, of
// length l, stores ½ s l² ε² (n·t)². A straight row that stands for the area A = v/l must store ½ E A l ε²
// per edge: s = E v/l². Where several edges of a particle point the same way they share that: with
//
//     S(n) = Σ_j (n_j·n)² (2 − o_j²),   s = c E (v_i + v_j)/l²,   c = 2/(S_i(n) + S_j(n)).
//
// o_j is how far another edge points the opposite way, so that an edge without one counts for it: the
// surface of a body is as stiff as its inside. A row has S = 2 and so have the axes of a grid; a particle
// with z edges in all directions has z/3, and the energy is ½ E ‖ε‖², a material without Poisson's effect.
//
// Where edges do not come in such a pattern, particles would evade: under a uniform strain the forces on each must be in
// balance. Those of s = E A/l are, with A the face between two pieces: a stress pulls at each piece with its faces, and
// the sum of all faces of a piece is 0 (as in Voronoi cells, whose edges are across their faces).
//
// **Bending.** A particle stands for a piece of the body, with the second moment M (per volume). Between
// two of them a row must bend with E J = E v M/l and twist with G J_t, G = E/2. ½ tr (R_i − R_j) B (R_i −
// R_j)ᵀ is ½ φ·(tr B − B) φ for a small relative turn φ. With P across the edge and M = P M P, that is
//
//     B = ½ c E (v_i + v_j)/l² (2 M − ½ tr M P + ½ tr M n nᵀ).
//
// Bodies that are several particles thick bend by their stretched sides, Σ A y², to which each piece adds
// its own A M: the parallel axis theorem, so the sum does not depend on how many there are.
#include <string.h>

#include "base/null.h"
#include "solid/marks.h"
#include "solid/volume.h"

#define PI 3.14159265358979323846
#define COOKIE 0x534e534fu
#define MIN_RADIUS 1e-5f
#define MAX_RADIUS 1e4f
#define MIN_LENGTH 1e-6 // m, of an edge

SnSolidMaterial sn_default_solid_material(void) {
    return (SnSolidMaterial){.density = 1000.0f, .young = 1e6f, .damping = 0.01f};
}

SnSolidDef sn_default_solid_def(void) {
    SnSolidDef def = {0};
    def.cookie = COOKIE;
    def.material = sn_default_solid_material();
    def.surface = sn_default_surface();
    def.filter = sn_default_filter();
    def.gravity_scale = 1.0f;
    return def;
}

static SnResult bad(const char *name, const char *field, double value, const char *valid) {
    return sn_error(SN_ERROR_INVALID, "%s: %s: %g is not %s", name, field, value, valid);
}

SnResult sn__solid_check_material(const SnSolidMaterial *m, const char *name) {
    if (!(m->density >= 0.1f && m->density <= 1e6f))
        return bad(name, "density", (double)m->density, "in [0.1, 1e6] kg/m³");
    if (!(m->young >= 0.0f && m->young <= 1e13f))
        return bad(name, "young", (double)m->young, "in [0, 1e13] Pa");
    if (!(m->damping >= 0.0f && m->damping <= 1e6f))
        return bad(name, "damping", (double)m->damping, "in [0, 1e6] s");
    if (!(m->drag >= 0.0f && m->drag <= 1e6f))
        return bad(name, "drag", (double)m->drag, "in [0, 1e6] 1/s");
    if (!(m->volume >= 0.0f && m->volume <= 1e13f))
        return bad(name, "volume", (double)m->volume, "in [0, 1e13] Pa");
    if (!(m->yield >= 0.0f && m->yield <= 1e15f))
        return bad(name, "yield", (double)m->yield, "in [0, 1e15] Pa");
    if (!(m->strength >= 0.0f && m->strength <= 1e15f))
        return bad(name, "strength", (double)m->strength, "in [0, 1e15] Pa");
    return sn_ok();
}

static SnResult check_particle(const SnSolidDef *def, const char *name, int i) {
    const SnVec3 *r = &def->radii[i];
    const float radii[3] = {r->x, r->y, r->z};
    if (!sn__within3(def->positions[i], SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "%s: positions[%d]: is not within %g m", name, i,
                        (double)SN_MAX_POSITION);
    for (int k = 0; k < 3; ++k)
        if (!(radii[k] >= MIN_RADIUS && radii[k] <= MAX_RADIUS))
            return sn_error(SN_ERROR_INVALID, "%s: radii[%d]: %g is not in [%g, %g] m", name, i,
                            (double)radii[k], (double)MIN_RADIUS, (double)MAX_RADIUS);
    if (def->volumes && !(def->volumes[i] >= 1e-18f && def->volumes[i] <= 1e12f))
        return sn_error(SN_ERROR_INVALID, "%s: volumes[%d]: %g is not in [1e-18, 1e12] m³", name, i,
                        (double)def->volumes[i]);
    if (def->rotations == NULL)
        return sn_ok();
    Quatd q = quatd(def->rotations[i]);
    double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!(norm > 0.5 && norm < 2.0))
        return sn_error(SN_ERROR_INVALID, "%s: rotations[%d]: is no unit quaternion", name, i);
    return sn_ok();
}

static SnResult check_edge(const SnSolidDef *def, const char *name, int k) {
    int i = def->edges[k][0], j = def->edges[k][1], n = def->particle_count;
    if (i < 0 || i >= n || j < 0 || j >= n || i == j)
        return sn_error(SN_ERROR_INVALID,
                        "%s: edges[%d]: %d and %d are not two different particles of [0, %d)", name,
                        k, i, j, n);
    if (!(lengthd(subd(vec3d(def->positions[i]), vec3d(def->positions[j]))) >= MIN_LENGTH))
        return sn_error(SN_ERROR_INVALID,
                        "%s: edges[%d]: particles %d and %d are at the same place; move one of "
                        "them by %g m or more",
                        name, k, i, j, MIN_LENGTH);
    if (def->stiffness && !(def->stiffness[k] >= 0.0f && def->stiffness[k] <= 1e6f))
        return sn_error(SN_ERROR_INVALID, "%s: stiffness[%d]: %g is not in [0, 1e6]", name, k,
                        (double)def->stiffness[k]);
    if (def->areas && !(def->areas[k] >= 0.0f && def->areas[k] <= 1e8f))
        return sn_error(SN_ERROR_INVALID, "%s: areas[%d]: %g is not in [0, 1e8] m²", name, k,
                        (double)def->areas[k]);
    return sn_ok();
}

// Edges that join the same two particles would count twice, which is hardly meant.
SnResult sn__solid_check_doubles(const SnAllocator *a, const SnSolidDef *def) {
    int n = def->particle_count, m = def->edge_count;
    size_t size = ((size_t)n + (size_t)n + 2 * (size_t)m) * sizeof(int);
    int *first = sn__alloc(a, size), *seen = first + n, *next = seen + n;
    const char *name = def->name ? def->name : "solid";
    SnResult result = sn_ok();
    if (first == NULL)
        return sn_error(SN_ERROR_MEMORY, "%s: no memory", name);
    // Edges of a particle are a list; 0 ends it. All is 0 to begin with.
    for (int k = 0; k < 2 * m; ++k) {
        int i = def->edges[k / 2][k % 2];
        next[k] = first[i];
        first[i] = k + 1;
    }
    for (int i = 0; i < n && result.code == SN_OK; ++i)
        for (int k = first[i]; k > 0 && result.code == SN_OK; k = next[k - 1]) {
            int edge = (k - 1) / 2, other = def->edges[edge][1 - (k - 1) % 2];
            if (seen[other] == i + 1)
                result = sn_error(SN_ERROR_INVALID,
                                  "%s: edges[%d]: %d and %d are joined by another edge, too; "
                                  "leave one of them out",
                                  name, edge, i, other);
            seen[other] = i + 1;
        }
    sn__free(a, first, size);
    return result;
}

static SnResult check_counts(const SnSolidDef *def, const char *name) {
    if (def->particle_count < 1)
        return sn_error(SN_ERROR_INVALID, "%s: particle_count: %d is not ≥ 1", name,
                        def->particle_count);
    if (def->particle_count > SN_MAX_SOLID_PARTICLES)
        return sn_error(SN_ERROR_LIMIT, "%s: particle_count: %d is more than %d", name,
                        def->particle_count, SN_MAX_SOLID_PARTICLES);
    if (def->edge_count < 0)
        return sn_error(SN_ERROR_INVALID, "%s: edge_count: %d is not ≥ 0", name, def->edge_count);
    if (def->edge_count > SN_MAX_SOLID_EDGES)
        return sn_error(SN_ERROR_LIMIT, "%s: edge_count: %d is more than %d", name, def->edge_count,
                        SN_MAX_SOLID_EDGES);
    if (def->positions == NULL || def->radii == NULL)
        return sn_error(SN_ERROR_INVALID, "%s: %s: is NULL, but particle_count is %d", name,
                        def->positions ? "radii" : "positions", def->particle_count);
    if (def->edges == NULL && def->edge_count > 0)
        return sn_error(SN_ERROR_INVALID, "%s: edges: is NULL, but edge_count is %d", name,
                        def->edge_count);
    return sn_ok();
}

static SnResult check_motion(const SnSolidDef *def, const char *name) {
    if (!sn__within3(def->velocity, SN_MAX_SPEED) ||
        !sn__within3(def->angular_velocity, SN_MAX_SPIN))
        return sn_error(SN_ERROR_INVALID, "%s: its velocity is not within %g m/s and %g rad/s",
                        name, (double)SN_MAX_SPEED, (double)SN_MAX_SPIN);
    for (int c = 0; c < 3; ++c)
        if (!(fabs(def->origin[c]) <= (double)SN_MAX_POSITION))
            return sn_error(SN_ERROR_INVALID, "%s: origin[%d]: %g is not within %g m", name, c,
                            def->origin[c], (double)SN_MAX_POSITION);
    if (!(fabsf(def->gravity_scale) <= 1e3f))
        return bad(name, "gravity_scale", (double)def->gravity_scale, "within 1000");
    return sn_ok();
}

SnResult sn__solid_check(const SnSolidDef *def) {
    if (def == NULL || def->cookie != COOKIE)
        return sn__no_def(def, "solid", "sn_default_solid_def");
    const char *name = def->name ? def->name : "solid";
    SnResult result = check_counts(def, name);
    if (result.code == SN_OK)
        result = sn__solid_check_material(&def->material, name);
    if (result.code == SN_OK)
        result = check_motion(def, name);
    for (int i = 0; i < def->particle_count && result.code == SN_OK; ++i)
        result = check_particle(def, name, i);
    for (int k = 0; k < def->edge_count && result.code == SN_OK; ++k)
        result = check_edge(def, name, k);
    return result;
}

static void lay(Layout *layout, Solid *s) {
    size_t n = (size_t)s->count, m = (size_t)s->edge_count;
    s->particles = sn__lay(layout, n, sizeof *s->particles);
    s->edges = sn__lay(layout, m, sizeof *s->edges);
    s->first_edge = sn__lay(layout, n + 1, sizeof *s->first_edge);
    s->edges_of = sn__lay(layout, 2 * m, sizeof *s->edges_of);
    s->x = sn__lay(layout, n, sizeof *s->x);
    s->v = sn__lay(layout, n, sizeof *s->v);
    s->l = sn__lay(layout, n, sizeof *s->l);
    s->q = sn__lay(layout, n, sizeof *s->q);
    s->a = sn__lay(layout, n, sizeof *s->a);
    s->t = sn__lay(layout, n, sizeof *s->t);
    s->force = sn__lay(layout, n, sizeof *s->force);
    s->couple = sn__lay(layout, n, sizeof *s->couple);
    s->work = sn__lay(layout, n, sizeof *s->work);
    s->rows = sn__lay(layout, (m + EDGE_ROW - 1) / EDGE_ROW, sizeof *s->rows);
    s->lanes = sn__lay(layout, n, sizeof *s->lanes);
    s->vector = sn__lay(layout, n, sizeof *s->vector);
    s->poses = sn__lay(layout, n, sizeof *s->poses);
    s->pieces = sn__lay(layout, n, sizeof *s->pieces);
    s->slope = sn__lay(layout, n, sizeof *s->slope);
    s->swell = sn__lay(layout, n, sizeof *s->swell);
    s->factor_q = sn__lay(layout, n, sizeof *s->factor_q);
}

static SolidParticle particle_of(const SnSolidDef *def, int i) {
    Vec3d r = vec3d(def->radii[i]);
    double own = 4.0 / 3.0 * PI * r.x * r.y * r.z,
           volume = def->volumes ? (double)def->volumes[i] : own;
    SolidParticle p = {.rest = vec3d(def->positions[i]),
                       .frame = {0.0, 0.0, 0.0, 1.0},
                       .radii = r,
                       .radius = cbrt(r.x * r.y * r.z),
                       .reach = fmax(r.x, fmax(r.y, r.z)),
                       .volume = volume};
    if (def->rotations)
        p.frame = normalisedq(quatd(def->rotations[i]));
    // An ellipsoid of these proportions that has the whole volume.
    double grown = cbrt(volume / own), fifth = 0.2 * grown * grown;
    Sym3 own_moment = {fifth * r.x * r.x, fifth * r.y * r.y, fifth * r.z * r.z, 0.0, 0.0, 0.0};
    Mat3 R = mat_of(p.frame);
    p.moment = sym_turned(&R, &own_moment);
    return p;
}

static Vec3d direction(const Solid *s, int k, int from) {
    const SolidEdge *e = &s->edges[k];
    Vec3d d = subd(s->particles[e->j].rest, s->particles[e->i].rest);
    return scaled(d, (from == e->i ? 1.0 : -1.0) / lengthd(d));
}

// S(n) of particle i.
static double sharing(const Solid *s, int i, Vec3d n) {
    double sum = 0.0;
    for (int k = s->first_edge[i]; k < s->first_edge[i + 1]; ++k) {
        Vec3d d = direction(s, s->edges_of[k], i);
        double opposite = 0.0, along = dotd(d, n);
        for (int m = s->first_edge[i]; m < s->first_edge[i + 1]; ++m)
            opposite = fmax(opposite, -dotd(direction(s, s->edges_of[m], i), d));
        sum += along * along * (2.0 - opposite * opposite);
    }
    return sum;
}

// s and B of an edge, for Young's modulus 1.
static void set_edge(const Solid *s, SolidEdge *e, double young) {
    const SolidParticle *a = &s->particles[e->i], *b = &s->particles[e->j];
    Vec3d rest = subd(b->rest, a->rest), n = scaled(rest, 1.0 / lengthd(rest));
    double area = e->area > 0.0 ? e->area : e->share * (a->volume + b->volume) / lengthd(rest);
    double k = e->factor * young * area / lengthd(rest);
    Sym3 M = sym_sum(&a->moment, &b->moment);
    M = sym_scaled(&M, 0.5);
    Vec3d Mn = sym_times(&M, n);
    double along = dotd(n, Mn), across = M.xx + M.yy + M.zz - along;
    // 2 P M P − ½ tr P + ½ tr n nᵀ, with P M P = M − n (M n)ᵀ − (M n) nᵀ + (n·M n) n nᵀ
    double nn = 2.0 * along + across, one = -0.5 * across;
    e->stretch = k;
    k *= 0.5;
    e->bend = (Sym3){k * (2.0 * M.xx - 4.0 * n.x * Mn.x + nn * n.x * n.x + one),
                     k * (2.0 * M.yy - 4.0 * n.y * Mn.y + nn * n.y * n.y + one),
                     k * (2.0 * M.zz - 4.0 * n.z * Mn.z + nn * n.z * n.z + one),
                     k * (2.0 * M.xy - 2.0 * (n.x * Mn.y + n.y * Mn.x) + nn * n.x * n.y),
                     k * (2.0 * M.xz - 2.0 * (n.x * Mn.z + n.z * Mn.x) + nn * n.x * n.z),
                     k * (2.0 * M.yz - 2.0 * (n.y * Mn.z + n.z * Mn.y) + nn * n.y * n.z)};
}

void sn__solid_set_stiffness(Solid *s) {
    s->mass = s->stiff = 0.0;
    for (int k = 0; k < s->edge_count; ++k)
        set_edge(s, &s->edges[k], (double)s->material.young);
    for (int i = 0; i < s->count; ++i) {
        SolidParticle *p = &s->particles[i];
        double sum = 0.0, mass = p->mass = (double)s->material.density * p->volume;
        Sym3 about = sym_about(&p->moment);
        p->inertia = sym_scaled(&about, mass);
        p->inverse = sym_inverted(&p->inertia);
        for (int k = s->first_edge[i]; k < s->first_edge[i + 1]; ++k)
            sum += s->edges[s->edges_of[k]].stretch;
        s->stiff = fmax(s->stiff, sum / mass);
        s->mass += mass;
    }
    sn__solid_weigh_marks(s);
    sn__solid_set_pieces(s);
    s->own.h2 = 0.0;
    sn__solid_fill_rows(s);
}

static void list_edges(Solid *s) {
    for (int k = 0; k < s->edge_count; ++k) {
        ++s->first_edge[s->edges[k].i];
        ++s->first_edge[s->edges[k].j];
    }
    for (int i = 0, sum = 0; i <= s->count; ++i) {
        sum += i < s->count ? s->first_edge[i] : 0;
        s->first_edge[i] = sum;
    }
    for (int k = s->edge_count - 1; k >= 0; --k) {
        s->edges_of[--s->first_edge[s->edges[k].i]] = k;
        s->edges_of[--s->first_edge[s->edges[k].j]] = k;
    }
}

static void fill_edges(Solid *s, const SnSolidDef *def) {
    double length = 0.0;
    for (int k = 0; k < s->edge_count; ++k) {
        int i = def->edges[k][0], j = def->edges[k][1];
        Vec3d rest = subd(s->particles[j].rest, s->particles[i].rest);
        s->edges[k] = (SolidEdge){.i = i,
                                  .j = j,
                                  .factor = def->stiffness ? (double)def->stiffness[k] : 1.0,
                                  .area = def->areas ? (double)def->areas[k] : 0.0,
                                  .rest = rest};
        length += lengthd(rest);
    }
    sn__solid_find_blocks(s);
    list_edges(s);
    for (int k = 0; k < s->edge_count; ++k) {
        SolidEdge *e = &s->edges[k];
        Vec3d n = direction(s, k, e->i);
        e->share = 2.0 / (sharing(s, e->i, n) + sharing(s, e->j, n));
    }
    s->size = s->edge_count > 0 ? length / s->edge_count : s->particles[0].radius;
}

static Vec3d centre_of(const Solid *s) {
    Vec3d sum = {0};
    double volume = 0.0;
    for (int i = 0; i < s->count; ++i) {
        sum = addd(sum, scaled(s->particles[i].rest, s->particles[i].volume));
        volume += s->particles[i].volume;
    }
    return scaled(sum, 1.0 / volume);
}

static void start(Solid *s, const SnSolidDef *def) {
    Vec3d centre = centre_of(s), spin = vec3d(def->angular_velocity);
    double extent = s->size;
    for (int i = 0; i < s->count; ++i) {
        Vec3d arm = subd(s->particles[i].rest, centre);
        s->x[i] = s->particles[i].rest;
        s->q[i] = (Quatd){0.0, 0.0, 0.0, 1.0};
        s->v[i] = shortened(addd(vec3d(def->velocity), crossd(spin, arm)), (double)SN_MAX_SPEED);
        sn__solid_set_spin(s, i, spin);
        extent = fmax(extent, lengthd(arm));
    }
    s->slender = extent * extent / (s->size * s->size);
}

Solid *sn__solid_create(SolidSystem *solids, const SnSolidDef *def, bool *out_crowded) {
    const SnAllocator *a = &solids->allocator;
    *out_crowded = false;
    Solid *s = sn__alloc(a, sizeof *s);
    if (s == NULL)
        return NULL;
    *s = (Solid){.system = solids,
                 .count = def->particle_count,
                 .edge_count = def->edge_count,
                 .material = def->material,
                 .gravity_scale = (double)def->gravity_scale};
    memcpy(s->origin, def->origin, sizeof s->origin);
    SolidGraph *graph =
        sn__solid_find_graph(solids, s->count, def->edges, s->edge_count, out_crowded);
    Layout layout = {0};
    lay(&layout, s);
    s->bytes = layout.used;
    s->block = sn__alloc(a, s->bytes);
    if (s->block == NULL || graph == NULL || !sn__solid_take_graph(s, graph)) {
        sn__solid_release_graph(solids, s->graph == graph ? NULL : graph);
        sn__solid_destroy(s);
        return NULL;
    }
    layout = (Layout){.memory = s->block};
    lay(&layout, s);
    for (int i = 0; i < s->count; ++i)
        s->particles[i] = particle_of(def, i);
    fill_edges(s, def);
    sn__solid_set_stiffness(s);
    start(s, def);
    if (!sn__solid_share(s)) {
        sn__solid_destroy(s);
        return NULL;
    }
    return s;
}

void sn__solid_destroy(Solid *s) {
    SnAllocator a = s->system->allocator;
    sn__solid_unshare(s);
    sn__solid_drop_graph(s);
    sn__solid_free_marks(s);
    sn__free(&a, s->leads, (size_t)s->lead_capacity * sizeof(BodyLead));
    sn__free(&a, s->ties, (size_t)s->tie_capacity * sizeof(SolidTie));
    sn__free(&a, s->block, s->bytes);
    sn__free(&a, s, sizeof *s);
}
