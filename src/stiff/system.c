// The trees of a world: their life, and where their segments are.
#include "stiff/stiff.h"

#include <assert.h>
#include <string.h>

// A new tree goes to the grove of the last one until that has so many segments: with a whole number
// of rows if the trees are alike, and in any case.
#define GROVE_FULL 768
#define GROVE_MOST 2048

StiffPose sn__stiff_pose(const StiffRod *t, int j) {
    assert(j >= 0 && j < t->segments && (t->fresh || t->slot[j] >= 0));
    if (t->fresh)
        return t->fresh[j].pose;
    const StiffState *s = &t->system->groves[t->grove].g.state[t->slot[j] / STIFF_LANES];
    int i = t->slot[j] % STIFF_LANES;
    return (StiffPose){{s->x[i], s->y[i], s->z[i]},
                       {s->qx[i], s->qy[i], s->qz[i], s->qw[i]},
                       {s->vx[i], s->vy[i], s->vz[i]},
                       {s->wx[i], s->wy[i], s->wz[i]}};
}

void sn__grove_put_pose(Grove *g, int slot, const StiffPose *p) {
    assert(slot >= 0 && slot / STIFF_LANES < g->rows);
    StiffState *s = &g->state[slot / STIFF_LANES];
    int i = slot % STIFF_LANES;
    s->x[i] = p->x.x;
    s->y[i] = p->x.y;
    s->z[i] = p->x.z;
    s->qx[i] = p->q.x;
    s->qy[i] = p->q.y;
    s->qz[i] = p->q.z;
    s->qw[i] = p->q.w;
    s->vx[i] = p->v.x;
    s->vy[i] = p->v.y;
    s->vz[i] = p->v.z;
    s->wx[i] = p->w.x;
    s->wy[i] = p->w.y;
    s->wz[i] = p->w.z;
}

void sn__stiff_set_pose(StiffRod *t, int j, const StiffPose *pose) {
    if (t->fresh)
        t->fresh[j].pose = *pose;
    else
        sn__grove_put_pose(&t->system->groves[t->grove].g, t->slot[j], pose);
}

void sn__stiff_limit_speed(const StiffSegment *s, StiffPose *p) {
    Vec3d by = crossd(p->w, scaled(axis_z(p->q), 0.5 * s->length));
    double fastest = fmax(lengthd(addd(p->v, by)), lengthd(subd(p->v, by)));
    double slower = fmin((double)SN_MAX_SPEED / fmax(fastest, 1e-30),
                         (double)SN_MAX_SPIN / fmax(lengthd(p->w), 1e-30));
    if (slower >= 1.0)
        return;
    p->v = scaled(p->v, slower);
    p->w = scaled(p->w, slower);
}

void sn__stiff_limit_start(const StiffSegment *s, StiffPose *p) {
    Vec3d by = crossd(p->w, scaled(axis_z(p->q), 0.5 * s->length));
    if (!sn__within3(vec3f(addd(p->v, by)), SN_MAX_SPEED) ||
        !sn__within3(vec3f(subd(p->v, by)), SN_MAX_SPEED))
        sn__stiff_limit_speed(s, p);
}

void sn__stiff_forget(StiffRod *t, int j) {
    if (t->fresh) {
        t->fresh[j].a = t->fresh[j].b = (Vec3d){0};
        return;
    }
    StiffState *s = &t->system->groves[t->grove].g.state[t->slot[j] / STIFF_LANES];
    int i = t->slot[j] % STIFF_LANES;
    s->ax[i] = s->ay[i] = s->az[i] = s->bx[i] = s->by[i] = s->bz[i] = 0.0;
}

Vec3d sn__stiff_vertex(const StiffRod *t, int point, Vec3d *out_velocity) {
    int j;
    double end = sn__stiff_point(t, point, &j);
    StiffPose p = sn__stiff_pose(t, j);
    Vec3d arm = scaled(axis_z(p.q), end);
    if (out_velocity)
        *out_velocity = addd(p.v, crossd(p.w, arm));
    return addd(p.x, arm);
}

// Whether joints of a new tree are bent and twisted by so much in all that their moments change how it moves.
#define PRESTRESSED 1.5 // rad

static bool is_prestressed(const StiffRod *rod) {
    double sum = 0.0;
    for (int k = 0; k < rod->joints; ++k) {
        const StiffJoint *j = &rod->joint[k];
        Quatd a = rod->fresh[j->a].pose.q, b = rod->fresh[j->b].pose.q;
        Quatd rel = mulqd(conjugated(mulqd(a, j->rest)), b);
        sum += 2.0 * sqrt(rel.x * rel.x + rel.y * rel.y + rel.z * rel.z);
    }
    return sum > PRESTRESSED;
}

static bool has_room(const StiffGrove *grove, const StiffRod *rod) {
    if (grove->rod_count > 0 && (rod->prestressed || grove->rods[0]->prestressed))
        return false;
    bool whole_rows = grove->rod_count % STIFF_LANES == 0;
    return grove->rod_count > 0 && grove->segments + rod->segments <= GROVE_MOST &&
           !(grove->segments >= GROVE_FULL && whole_rows);
}

// The grove that a new tree goes to, −1 without memory.
static int find_grove(StiffSystem *system, const StiffRod *rod) {
    if (system->open < system->grove_count && has_room(&system->groves[system->open], rod))
        return system->open;
    for (int k = 0; k < system->grove_count && system->empty_groves > 0; ++k)
        if (system->groves[k].rod_count == 0) {
            system->empty_groves -= 1;
            return k;
        }
    if (!sn__reserve(&system->allocator, (void **)&system->groves, &system->grove_capacity,
                     system->grove_count, sizeof(StiffGrove)))
        return -1;
    system->groves[system->grove_count] = (StiffGrove){0};
    return system->grove_count++;
}

bool sn__stiff_rods_add(StiffSystem *system, StiffRod *rod) {
    assert(rod->grove < 0 && rod->fresh);
    const SnAllocator *a = &system->allocator;
    rod->prestressed = is_prestressed(rod);
    int index = find_grove(system, rod);
    if (index < 0)
        return false;
    system->open = index;
    StiffGrove *grove = &system->groves[index];
    if (!sn__reserve(a, (void **)&grove->rods, &grove->rod_capacity, grove->rod_count,
                     sizeof(StiffRod *))) {
        system->empty_groves += grove->rod_count == 0;
        return false;
    }
    rod->grove = index;
    grove->rods[grove->rod_count++] = rod;
    grove->segments += rod->segments;
    grove->dirty = true;
    return true;
}

// Its loops go, and those behind it are of a tree that moves up.
static void remove_loops(Grove *g, int rod) {
    int kept = 0;
    for (int k = 0; k < g->loop_count; ++k) {
        if (g->loops[k].rod == rod)
            continue;
        g->loops[kept] = g->loops[k];
        g->loops[kept].rod -= g->loops[kept].rod > rod;
        ++kept;
    }
    g->loop_count = kept;
}

void sn__stiff_rods_remove(StiffSystem *system, StiffRod *rod) {
    StiffGrove *grove = &system->groves[rod->grove];
    int kept = 0, number = 0;
    for (int k = 0; k < grove->rod_count; ++k)
        if (grove->rods[k] != rod)
            grove->rods[kept++] = grove->rods[k];
        else
            number = k;
    assert(kept + 1 == grove->rod_count);
    remove_loops(&grove->g, number);
    grove->rod_count = kept;
    grove->segments -= rod->segments;
    grove->dirty = true;
    system->empty_groves += kept == 0;
    sn__stiff_destroy(rod);
}

static SnResult no_memory(const SnRodDef *def) {
    return sn_error(SN_ERROR_MEMORY, "%s: no memory for %d vertices", def->name ? def->name : "rod",
                    def->vertex_count);
}

// What only shows when the segments at every vertex are known.
static SnResult check_graph(const StiffRod *rod, const char *name) {
    for (int i = 0; i < rod->vertices; ++i)
        if (rod->home[i] < 0)
            return sn_error(SN_ERROR_INVALID, "%s: edges: none goes to vertex %d", name, i);
    if (rod->twins[1] > 0)
        return sn_error(SN_ERROR_INVALID, "%s: edges[%d]: joins the same vertices as edges[%d]",
                        name, rod->twins[1], rod->twins[0]);
    return sn_ok();
}

// The register's part of a stiff rod; false without memory.
static bool add_body(StiffSystem *system, StiffRod *rod, const SnRodDef *def, SnBodyId *out_id) {
    size_t size = (size_t)rod->segments * sizeof(SnQuat);
    SnQuat *frames = sn__alloc(&system->allocator, size);
    if (frames == NULL)
        return false;
    for (int j = 0; j < rod->segments; ++j)
        frames[j] = quatf(rod->rest_frames[j]);
    BodyDef body = sn__rod_body_def(def, rod->segments, frames);
    body.kind = &sn__stiff_kind;
    body.system = system;
    body.item = rod;
    bool added = sn__bodies_add(system->bodies, &body, out_id);
    sn__free(&system->allocator, frames, size);
    return added;
}

SnResult sn__stiff_rods_create(StiffSystem *system, const SnRodDef *def, SnBodyId *out_body) {
    SnResult result = sn__rod_def_check(def);
    if (result.code != SN_OK)
        return result;
    StiffRod *rod = sn__stiff_create(system, def);
    if (rod == NULL)
        return no_memory(def);
    result = check_graph(rod, def->name ? def->name : "rod");
    if (result.code != SN_OK) {
        sn__stiff_destroy(rod);
        return result;
    }
    if (!sn__stiff_rods_add(system, rod)) {
        sn__stiff_destroy(rod);
        return no_memory(def);
    }
    if (add_body(system, rod, def, out_body))
        return result;
    sn__stiff_rods_remove(system, rod);
    return no_memory(def);
}

bool sn__stiff_rods_lend(StiffSystem *system, int workers) {
    assert(workers >= 1);
    const SnAllocator *a = &system->allocator;
    int rows = 0;
    for (int k = 0; k < system->grove_count; ++k) {
        int wants = sn__grove_wants(&system->groves[k].g);
        rows = wants > rows ? wants : rows;
    }
    if (system->lent == NULL && rows > 0) {
        system->lent = sn__alloc_array(a, (size_t)workers, sizeof(StiffLent));
        system->lent_count = system->lent ? workers : 0;
    }
    bool lent = rows == 0 || system->lent;
    for (int k = 0; k < system->lent_count && lent; ++k) {
        bool grows = rows > system->lent[k].rows;
        lent = sn__lent_rows(a, &system->lent[k], rows);
        if (lent && grows)
            memset(system->lent[k].sum, 0, (size_t)rows * sizeof(StiffSum));
    }
    return lent;
}

void sn__stiff_rods_destroy(StiffSystem *system) {
    const SnAllocator *a = &system->allocator;
    for (int k = 0; k < system->lent_count; ++k)
        sn__lent_rows_release(a, &system->lent[k]);
    sn__free(a, system->lent, (size_t)system->lent_count * sizeof(StiffLent));
    for (int k = 0; k < system->grove_count; ++k) {
        StiffGrove *grove = &system->groves[k];
        for (int i = 0; i < grove->rod_count; ++i)
            sn__stiff_destroy(grove->rods[i]);
        sn__free(a, grove->rods, (size_t)grove->rod_capacity * sizeof(StiffRod *));
        sn__free(a, grove->holds, (size_t)grove->hold_capacity * sizeof(StiffHold));
        sn__free(a, grove->ties, (size_t)grove->tie_capacity * sizeof(StiffTie));
        sn__grove_release(a, &grove->g);
    }
    sn__free(a, system->groves, (size_t)system->grove_capacity * sizeof(StiffGrove));
}
