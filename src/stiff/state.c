#include "stiff/state.h"

#include "stiff/damage.h"

// Rows and points must be those that the state will be read into.
bool sn__stiff_arrange(void *system) {
    StiffSystem *rods = system;
    bool arranged = sn__stiff_arrange_all(rods);
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__stiff_kind, &k)) != NULL; ++k)
        arranged = sn__stiff_tear(stiff_of(body)) && arranged;
    return arranged;
}

void sn__stiff_rods_visit_joints(void *system, BodyVisit *visit, void *context) {
    const StiffSystem *rods = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__stiff_kind, &k)) != NULL; ++k) {
        StiffRod *t = stiff_of(body);
        for (int i = 0; i < t->joints; ++i) {
            visit(context, BLOCK_DOUBLES, &t->joint[i].rest, sizeof t->joint[i].rest);
            visit(context, BLOCK_FLAGS, &t->joint[i].broken, sizeof t->joint[i].broken);
        }
    }
}

static int count_broken(const StiffRod *t) {
    int count = 0;
    for (int i = 0; i < t->joints; ++i)
        count += t->joint[i].broken;
    return count;
}

// Trees get the rows and points that they had then.
void sn__stiff_rods_restored_joints(void *system) {
    StiffSystem *rods = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__stiff_kind, &k)) != NULL; ++k) {
        stiff_of(body)->tears = true;
        stiff_of(body)->broken = count_broken(stiff_of(body));
        rods->groves[stiff_of(body)->grove].dirty = true;
    }
}

static void visit_grove(Grove *g, BodyVisit *visit, void *context) {
    visit(context, BLOCK_DOUBLES, g->state, (size_t)g->rows * sizeof(StiffState));
    for (int r = 0; r < g->prop_begin && g->stretch; ++r)
        visit(context, BLOCK_DOUBLES, g->stretch[r].longer, sizeof g->stretch[r].longer);
    for (int k = 0; k < g->loop_count; ++k) {
        StiffLoop *loop = &g->loops[k];
        visit(context, BLOCK_DOUBLES, &loop->held, sizeof loop->held);
        visit(context, BLOCK_DOUBLES, &loop->strain, sizeof loop->strain);
        visit(context, BLOCK_DOUBLES, &loop->force, sizeof loop->force);
        visit(context, BLOCK_DOUBLES, &loop->told, sizeof loop->told);
    }
}

void sn__stiff_rods_visit(void *system, BodyVisit *visit, void *context) {
    StiffSystem *rods = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__stiff_kind, &k)) != NULL; ++k) {
        StiffRod *t = stiff_of(body);
        visit(context, BLOCK_FLAGS, &t->rough, sizeof t->rough);
        visit(context, BLOCK_FLAGS, &t->strained, sizeof t->strained);
        visit(context, BLOCK_DOUBLES, t->press, (size_t)t->points * sizeof(Vec3d));
        visit(context, BLOCK_DOUBLES, t->press_size, (size_t)t->points * sizeof(double));
        visit(context, BLOCK_DOUBLES, t->pushed, (size_t)t->points * sizeof(Vec3d));
        for (int i = 0; i < t->lead_count; ++i) {
            StiffLead *lead = &t->leads[i];
            visit(context, BLOCK_DOUBLES, &lead->x_from, sizeof lead->x_from);
            visit(context, BLOCK_DOUBLES, &lead->x_to, sizeof lead->x_to);
            visit(context, BLOCK_DOUBLES, &lead->q_from, sizeof lead->q_from);
            visit(context, BLOCK_DOUBLES, &lead->q_to, sizeof lead->q_to);
        }
    }
    for (int k = 0; k < rods->grove_count; ++k)
        visit_grove(&rods->groves[k].g, visit, context);
}

static int count_pressed(const StiffRod *t) {
    int count = 0;
    for (int i = 0; i < t->points; ++i)
        count += dotd(t->press[i], t->press[i]) > 0.0;
    return count;
}

void sn__stiff_rods_restored(void *system) {
    StiffSystem *rods = system;
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(rods->bodies, &sn__stiff_kind, &k)) != NULL; ++k) {
        stiff_of(body)->asleep = body->sleep.asleep;
        stiff_of(body)->pressed = count_pressed(stiff_of(body));
    }
    for (int k = 0; k < rods->grove_count; ++k) {
        StiffGrove *grove = &rods->groves[k];
        grove->loaded = 1;
        sn__grove_clear_loads(grove);
        for (int i = 0; i < grove->rod_count && grove->yields; ++i)
            for (int j = 0; j < grove->rods[i]->joints; ++j)
                sn__grove_set_rest(&grove->g, grove->rods[i], &grove->rods[i]->joint[j]);
    }
}
