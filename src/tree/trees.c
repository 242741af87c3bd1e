// The trees of a world: their life, and where their segments are.
#include "tree/tree.h"

#include <string.h>

// A new tree goes to the grove of the last one until that has so many segments: with a whole number
// of rows if the trees are alike, and in any case.
#define GROVE_FULL 768
#define GROVE_MOST 2048

TreePose sn__tree_pose(const Tree *t, int j) {
    if (t->fresh)
        return t->fresh[j].pose;
    const TreeState *s = &t->system->groves[t->grove].g.state[t->place[j] / TREE_LANES];
    int i = t->place[j] % TREE_LANES;
    return (TreePose){{s->x[i], s->y[i], s->z[i]},
                      {s->qx[i], s->qy[i], s->qz[i], s->qw[i]},
                      {s->vx[i], s->vy[i], s->vz[i]},
                      {s->wx[i], s->wy[i], s->wz[i]}};
}

void sn__grove_put_pose(Grove *g, int place, const TreePose *p) {
    TreeState *s = &g->state[place / TREE_LANES];
    int i = place % TREE_LANES;
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

void sn__tree_set_pose(Tree *t, int j, const TreePose *pose) {
    if (t->fresh)
        t->fresh[j].pose = *pose;
    else
        sn__grove_put_pose(&t->system->groves[t->grove].g, t->place[j], pose);
}

Vec3d sn__tree_vertex(const Tree *t, int point, Vec3d *out_velocity) {
    int j;
    double end = sn__tree_point(t, point, &j);
    TreePose p = sn__tree_pose(t, j);
    Vec3d arm = scaled(axis_z(p.q), end);
    if (out_velocity)
        *out_velocity = addd(p.v, crossd(p.w, arm));
    return addd(p.x, arm);
}

static bool has_room(const TreeGrove *grove, const Tree *tree) {
    bool whole_rows = grove->tree_count % TREE_LANES == 0;
    return grove->tree_count > 0 && grove->segments + tree->segments <= GROVE_MOST &&
           !(grove->segments >= GROVE_FULL && whole_rows);
}

// The grove that a new tree goes to, −1 without memory.
static int find_grove(TreeSystem *system, const Tree *tree) {
    if (system->open < system->grove_count && has_room(&system->groves[system->open], tree))
        return system->open;
    for (int k = 0; k < system->grove_count && system->empty_groves > 0; ++k)
        if (system->groves[k].tree_count == 0) {
            system->empty_groves -= 1;
            return k;
        }
    if (!sn__reserve(&system->allocator, (void **)&system->groves, &system->grove_capacity,
                     system->grove_count, sizeof(TreeGrove)))
        return -1;
    system->groves[system->grove_count] = (TreeGrove){0};
    return system->grove_count++;
}

bool sn__trees_add(TreeSystem *system, Tree *tree) {
    const SnAllocator *a = &system->allocator;
    int index = find_grove(system, tree);
    if (index < 0)
        return false;
    system->open = index;
    TreeGrove *grove = &system->groves[index];
    if (!sn__reserve(a, (void **)&grove->trees, &grove->tree_capacity, grove->tree_count,
                     sizeof(Tree *)))
        return false;
    tree->grove = index;
    grove->trees[grove->tree_count++] = tree;
    grove->segments += tree->segments;
    grove->dirty = true;
    return true;
}

void sn__trees_remove(TreeSystem *system, Tree *tree) {
    TreeGrove *grove = &system->groves[tree->grove];
    int kept = 0;
    for (int k = 0; k < grove->tree_count; ++k)
        if (grove->trees[k] != tree)
            grove->trees[kept++] = grove->trees[k];
    grove->tree_count = kept;
    grove->segments -= tree->segments;
    grove->dirty = true;
    system->empty_groves += kept == 0;
    sn__tree_destroy(tree);
}

static SnResult no_memory(const SnRodDef *def) {
    return sn_error(SN_ERROR_MEMORY, "%s: no memory for %d vertices", def->name ? def->name : "rod",
                    def->vertex_count);
}

// What only shows when the segments at every vertex are known.
static SnResult check_graph(const Tree *tree, const char *name) {
    for (int i = 0; i < tree->vertices; ++i)
        if (tree->home[i] < 0)
            return sn_error(SN_ERROR_INVALID, "%s: edges: none goes to vertex %d", name, i);
    if (tree->twins[1] > 0)
        return sn_error(SN_ERROR_INVALID, "%s: edges[%d]: joins the same vertices as edges[%d]",
                        name, tree->twins[1], tree->twins[0]);
    return sn_ok();
}

// The register's part of a stiff rod; false without memory.
static bool add_body(TreeSystem *system, Tree *tree, const SnRodDef *def, SnBodyId *out_id) {
    size_t size = (size_t)tree->segments * sizeof(SnQuat);
    SnQuat *frames = sn__alloc(&system->allocator, size);
    if (frames == NULL)
        return false;
    for (int j = 0; j < tree->segments; ++j)
        frames[j] = quatf(tree->rest_frames[j]);
    BodyDef body = sn__rod_body_def(def, tree->segments, frames);
    body.kind = &sn__tree_kind;
    body.system = system;
    body.item = tree;
    bool added = sn__bodies_add(system->bodies, &body, out_id);
    sn__free(&system->allocator, frames, size);
    return added;
}

SnResult sn__trees_create(TreeSystem *system, const SnRodDef *def, SnBodyId *out_body) {
    SnResult result = sn__rod_def_check(def);
    if (result.code != SN_OK)
        return result;
    Tree *tree = sn__tree_create(system, def);
    if (tree == NULL)
        return no_memory(def);
    result = check_graph(tree, def->name ? def->name : "rod");
    if (result.code != SN_OK) {
        sn__tree_destroy(tree);
        return result;
    }
    if (!sn__trees_add(system, tree)) {
        sn__tree_destroy(tree);
        return no_memory(def);
    }
    if (add_body(system, tree, def, out_body))
        return result;
    sn__trees_remove(system, tree);
    return no_memory(def);
}

bool sn__trees_lend(TreeSystem *system, int workers) {
    const SnAllocator *a = &system->allocator;
    int rows = 0;
    for (int k = 0; k < system->grove_count; ++k) {
        int wants = sn__grove_wants(&system->groves[k].g);
        rows = wants > rows ? wants : rows;
    }
    if (system->lent == NULL && rows > 0) {
        system->lent = sn__alloc_array(a, (size_t)workers, sizeof(TreeLent));
        system->lent_count = system->lent ? workers : 0;
    }
    bool lent = rows == 0 || system->lent;
    for (int k = 0; k < system->lent_count && lent; ++k) {
        bool grows = rows > system->lent[k].rows;
        lent = sn__lent_rows(a, &system->lent[k], rows);
        if (lent && grows)
            memset(system->lent[k].sum, 0, (size_t)rows * sizeof(TreeSum));
    }
    return lent;
}

void sn__trees_destroy(TreeSystem *system) {
    const SnAllocator *a = &system->allocator;
    for (int k = 0; k < system->lent_count; ++k)
        sn__lent_rows_release(a, &system->lent[k]);
    sn__free(a, system->lent, (size_t)system->lent_count * sizeof(TreeLent));
    for (int k = 0; k < system->grove_count; ++k) {
        TreeGrove *grove = &system->groves[k];
        for (int i = 0; i < grove->tree_count; ++i)
            sn__tree_destroy(grove->trees[i]);
        sn__free(a, grove->trees, (size_t)grove->tree_capacity * sizeof(Tree *));
        sn__free(a, grove->holds, (size_t)grove->hold_capacity * sizeof(TreeHold));
        sn__grove_release(a, &grove->g);
    }
    sn__free(a, system->groves, (size_t)system->grove_capacity * sizeof(TreeGrove));
}
