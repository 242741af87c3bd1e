// Stiff rods in the world: their life, and how the collision phase sees them.
#include <string.h>

#include "tree/touch.h"
#include "world/world.h"

static Tree *tree_of(const SnWorld *world, int k) {
    uint32_t slot = world->rods.order[k];
    const Rod *rod = slot != 0 ? &world->rods.rods[slot - 1] : NULL;
    return rod && rod->kind ? rod->body : NULL;
}

static const Rod *rod_of(const SnWorld *world, int k) {
    return &world->rods.rods[world->rods.order[k] - 1];
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

SnResult sn__stiff_create(SnWorld *world, const SnRodDef *def, SnBodyId *out_rod) {
    SnResult result = sn__rod_def_check(def);
    if (result.code != SN_OK)
        return result;
    Tree *tree = sn__tree_create(&world->trees, def);
    if (tree == NULL)
        return no_memory(def);
    result = check_graph(tree, def->name ? def->name : "rod");
    if (result.code != SN_OK) {
        sn__tree_destroy(tree);
        return result;
    }
    SnQuat *frames = sn__alloc_array(&world->allocator, (size_t)tree->segments, sizeof(SnQuat));
    if (frames == NULL || !sn__trees_add(&world->trees, tree)) {
        sn__free(&world->allocator, frames, (size_t)tree->segments * sizeof(SnQuat));
        sn__tree_destroy(tree);
        return no_memory(def);
    }
    for (int j = 0; j < tree->segments; ++j)
        frames[j] = quatf(tree->rest_frames[j]);
    result =
        sn__rods_adopt(&world->rods, def, &sn__tree_kind, tree, tree->segments, frames, out_rod);
    sn__free(&world->allocator, frames, (size_t)tree->segments * sizeof(SnQuat));
    if (result.code != SN_OK)
        sn__trees_remove(&world->trees, tree);
    return result;
}

int sn__stiff_number(SnWorld *world, int first) {
    for (int k = 0; k < world->rods.order_count; ++k) {
        Tree *tree = tree_of(world, k);
        if (tree == NULL)
            continue;
        if (!sn__tree_tear(tree))
            return -1;
        const Rod *rod = rod_of(world, k);
        bool touches = rod->filter.mask != 0 || rod->filter.group > 0 || rod->links > 0;
        tree->knots = touches ? first : 0;
        first += touches ? sn__tree_knot_count(tree) : 0;
    }
    return first;
}

void sn__stiff_own(const SnWorld *world, KnotOwner *owners) {
    for (int k = 0; k < world->rods.order_count; ++k) {
        const Tree *tree = tree_of(world, k);
        if (tree == NULL || tree->knots == 0)
            continue;
        const SnFilter *filter = &rod_of(world, k)->filter;
        if (filter->mask != 0 || filter->group > 0)
            sn__tree_own(tree, world->rods.order[k], owners);
    }
}

void sn__stiff_add_velocity(const SnWorld *world, double sum[4]) {
    for (int k = 0; k < world->rods.order_count; ++k) {
        const Tree *tree = tree_of(world, k);
        for (int j = 0; tree && tree->knots != 0 && j < tree->segments; ++j) {
            TreePose p = sn__tree_pose(tree, j);
            sum[0] += p.v.x;
            sum[1] += p.v.y;
            sum[2] += p.v.z;
            sum[3] += 1.0;
        }
    }
}

void sn__stiff_bounds(SnWorld *world, const TouchBounds *bounds) {
    ContactSystem *s = &world->contacts;
    for (int k = 0; k < world->rods.order_count; ++k) {
        const Tree *tree = tree_of(world, k);
        if (tree == NULL || tree->knots == 0)
            continue;
        // Without memory, contacts feel every segment alone.
        sn__grove_reserve_reply(&world->allocator, &world->trees.groves[tree->grove].g);
        sn__grove_reserve_give(&world->allocator, &world->trees.groves[tree->grove].g);
        sn__tree_bounds(tree, bounds, rod_of(world, k)->surface.thickness, s->knots, s->boxes,
                        s->reach);
        // Links alone need knots, but no boxes.
        for (int j = 0; j < tree->segments; ++j)
            if (s->owners[tree->knots + j].body == 0)
                s->boxes[tree->knots + j] = (GridBox){{1.0f, 1.0f, 1.0f}, {-1.0f, -1.0f, -1.0f}};
    }
}

void sn__stiff_untouch(SnWorld *world) {
    for (int k = 0; k < world->rods.order_count; ++k) {
        Tree *tree = tree_of(world, k);
        if (tree)
            tree->touched = false;
    }
}

void sn__stiff_restored(SnWorld *world) { sn__trees_restored(&world->trees); }

static Tree *tree_in_slot(const SnWorld *world, uint32_t slot) {
    const Rod *rod = slot != 0 ? &world->rods.rods[slot - 1] : NULL;
    return rod && rod->kind ? rod->body : NULL;
}

static void press(Tree *tree, const int knot[2], const double weight[2], Vec3d impulse) {
    for (int v = 0; tree && v < 2; ++v)
        if (weight[v] > 0.0)
            sn__tree_press(tree, knot[v] - tree->knots, scaled(impulse, weight[v]));
}

static void press_by_contact(SnWorld *world, const ContactBatch *batch, int i) {
    const KnotOwner *owners = world->contacts.owners;
    double mu = (double)batch->mu_normal[i], t = (double)batch->t[i], u = (double)batch->u[i];
    Vec3d impulse = {mu * (double)batch->normal_x[i], mu * (double)batch->normal_y[i],
                     mu * (double)batch->normal_z[i]};
    press(tree_in_slot(world, owners[batch->a[i]].body), (int[2]){batch->a1[i], batch->a2[i]},
          (double[2]){1.0 - t, t}, impulse);
    if (batch->kind == CONTACT_PAIR)
        press(tree_in_slot(world, owners[batch->b[i]].body), (int[2]){batch->b1[i], batch->b2[i]},
              (double[2]){1.0 - u, u}, scaled(impulse, -1.0));
}

static void press_by_link(SnWorld *world, const Link *link) {
    Vec3d impulse = {(double)link->mu[0], (double)link->mu[1], (double)link->mu[2]};
    for (int s = 0; s < 2; ++s) {
        const SnBodyPoint *point = s == 0 ? &link->a : &link->b;
        const LinkSide *side = &link->side[s];
        press(tree_in_slot(world, point->body.index), side->knot,
              (double[2]){(double)side->weight[0], (double)side->weight[1]},
              scaled(impulse, s == 0 ? 1.0 : -1.0));
    }
}

void sn__stiff_press(SnWorld *world) {
    if (!sn__trees_any_touched(&world->trees))
        return;
    for (int k = 0; k < world->rods.order_count; ++k) {
        Tree *tree = tree_of(world, k);
        if (tree)
            sn__tree_forget_press(tree);
    }
    const ContactList *list = &world->contacts.list;
    for (int k = 0; k < list->batch_count; ++k)
        for (int i = 0; i < list->batches[k].count; ++i)
            if (list->batches[k].mu_normal[i] > 0.0f)
                press_by_contact(world, &list->batches[k], i);
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        if (world->link_ids.slots[k].generation & 1)
            press_by_link(world, &world->links[k]);
}

void sn__stiff_end_step(SnWorld *world) {
    world->breaks += (uint64_t)world->stiff_report.breaks;
    if (world->stiff_report.breaks > 0) {
        world->contacts.numbered = false;
        sn__wake_all(world);
    }
}

void sn__stiff_visit_joints(const SnWorld *world, RodVisit *visit, void *context) {
    for (int k = 0; k < world->rods.order_count; ++k) {
        Tree *tree = tree_of(world, k);
        for (int i = 0; tree && i < tree->joints; ++i) {
            visit(context, &tree->joint[i].rest, sizeof(Quatd));
            visit(context, &tree->joint[i].broken, sizeof(bool));
        }
    }
}

static const char *read_joint(SnWorld *world, Tree *tree, TreeJoint *joint, const char *from) {
    bool broken = from[sizeof(Quatd)] != 0;
    memcpy(&joint->rest, from, sizeof(Quatd));
    if (broken != joint->broken) {
        joint->broken = broken;
        tree->tears = true;
        world->trees.groves[tree->grove].dirty = true;
        world->contacts.numbered = false;
    }
    return from + sizeof(Quatd) + sizeof(bool);
}

bool sn__stiff_read_joints(SnWorld *world, const char *from) {
    for (int k = 0; k < world->rods.order_count; ++k) {
        Tree *tree = tree_of(world, k);
        for (int i = 0; tree && i < tree->joints; ++i)
            from = read_joint(world, tree, &tree->joint[i], from);
    }
    return sn__trees_plant(&world->trees);
}

// Rows and points must be those that the state will be read into.
void sn__stiff_visit(const SnWorld *world, RodVisit *visit, void *context) {
    sn__trees_plant((TreeSystem *)&world->trees);
    for (int k = 0; k < world->rods.order_count; ++k) {
        Tree *tree = tree_of(world, k);
        if (tree == NULL)
            continue;
        (void)sn__tree_tear(tree);
        visit(context, &tree->rest, sizeof tree->rest);
        visit(context, tree->press, (size_t)tree->points * sizeof(Vec3d));
        visit(context, tree->press_size, (size_t)tree->points * sizeof(double));
        visit(context, &tree->pressed, sizeof tree->pressed);
        visit(context, tree->leads, (size_t)tree->lead_count * sizeof(TreeLead));
    }
    for (int k = 0; k < world->trees.grove_count; ++k) {
        const Grove *g = &world->trees.groves[k].g;
        visit(context, g->state, (size_t)g->rows * sizeof(TreeState));
        visit(context, g->loops, (size_t)g->loop_count * sizeof(TreeLoop));
    }
}
