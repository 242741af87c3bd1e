// The walk over all that must fit together finds each thing that does not.
#include "contact_kit.h"

#include "rod/rods.h"
#include "stiff/stiff.h"
#include "world/world.h"

typedef struct Zoo {
    SnWorld *world;
    SnBodyId soft[3], stiff[3], creature;
} Zoo;

static Zoo make_zoo(void) {
    static const int edges[] = {0, 1, 1, 2, 1, 3};
    Zoo zoo = {.world = heavy_world()};
    SnVec3 x[8], along = {1.0f, 0.0f, 0.0f};
    SnColliderId floor = add_floor(zoo.world, 0.0f, 0.5f);
    for (int k = 0; k < 6; ++k) {
        SnVec3 at = sn_vec3(0.0f, 0.03f + 0.06f * (float)k, 0.0f);
        SnRodDef def = line_def(x, 8, at, along, 0.7f, 0.03f);
        def.stiff = k >= 3;
        *(k < 3 ? &zoo.soft[k] : &zoo.stiff[k - 3]) = add_rod(zoo.world, &def);
    }
    line_of_points(x, 3, sn_vec3(0.0f, 0.5f, 2.0f), sn_vec3(0.2f, 0.0f, 0.0f));
    x[3] = sn_vec3(0.2f, 0.5f, 2.2f);
    SnRodDef def = sn_default_rod_def();
    def.vertex_count = 4;
    def.positions = x;
    def.edges = edges;
    def.edge_count = 3;
    def.radius = 0.03f;
    zoo.creature = add_rod(zoo.world, &def);
    SnFrameId frame;
    assert_ok(sn_frame_create(zoo.world, sn_pose_identity(), &frame));
    attach(zoo.world, zoo.soft[2], SN_ATTACH_VERTEX, 0, frame);
    attach(zoo.world, zoo.soft[1], SN_ATTACH_VERTEX, 7, frame);
    attach(zoo.world, zoo.stiff[1], SN_ATTACH_VERTEX, 0, frame);
    SnLinkDef link = sn_default_link_def();
    link.length = 0.0f;
    link.a = (SnBodyPoint){zoo.soft[0], 3, 0.5f};
    link.b = (SnBodyPoint){zoo.stiff[2], 3, 0.5f};
    link.length = 0.5f;
    assert_ok(sn_link_create(zoo.world, &link, NULL));
    assert_ok(sn_bodies_ignore(zoo.world, zoo.soft[0], zoo.creature, true));
    assert_ok(sn_body_ignore_collider(zoo.world, zoo.creature, floor, true));
    SnBodyId gone = plain_rod(zoo.world, 3);
    plain_rod(zoo.world, 3);
    assert_ok(sn_body_destroy(zoo.world, gone));
    run_steps(zoo.world, 30, 4);
    assert_ok(sn__world_validate(zoo.world));
    return zoo;
}

// With `place` at this value the walk says something with `part` in it; then it is put back.
#define assert_found(zoo, place, value, part)                                                      \
    do {                                                                                           \
        __typeof__(place) found_kept = (place);                                                    \
        (place) = (value);                                                                         \
        assert_error(sn__world_validate((zoo).world), SN_ERROR_INVALID, part);                     \
        (place) = found_kept;                                                                      \
        assert_ok(sn__world_validate((zoo).world));                                                \
    } while (0)

static void ids(void **state) {
    (void)state;
    Zoo zoo = make_zoo();
    IdPool *pool = &zoo.world->bodies.ids;
    assert_true(pool->first_free != 0);
    assert_found(zoo, pool->live_count, pool->live_count + 1, "body ids");
    assert_found(zoo, pool->first_free, 0, "lost");
    assert_found(zoo, pool->first_free, 1, "free and in use");
    assert_found(zoo, pool->first_free, 99, "no slot 99");
    assert_found(zoo, pool->slots[pool->first_free - 1].next_free, pool->first_free, "no end");
    assert_found(zoo, zoo.world->link_ids.live_count, 0, "link ids");
    sn_world_destroy(zoo.world);
}

static void bodies(void **state) {
    (void)state;
    Zoo zoo = make_zoo();
    BodyRegister *bodies = &zoo.world->bodies;
    Body *body = sn__body_at(bodies, zoo.soft[1].index);
    assert_found(zoo, body->slot, 1, "its slot");
    assert_found(zoo, body->order, 0, "its place in the order");
    assert_found(zoo, body->kind, NULL, "gone, or half");
    assert_found(zoo, body->kind, &sn__stiff_kind, "of no kind");
    assert_found(zoo, body->sleep.still, NAN, "still for");
    assert_found(zoo, body->points, 0, "empty");
    assert_found(zoo, bodies->order[bodies->order_count - 1], 0, "order");
    assert_found(zoo, sn__body_at(bodies, zoo.soft[0].index)->first_link, 2, "which know of");
    assert_found(zoo, sn__body_at(bodies, zoo.soft[0].index)->first_link, 0, "it holds nothing");
    sn_world_destroy(zoo.world);
}

static void holders(void **state) {
    (void)state;
    Zoo zoo = make_zoo();
    SnWorld *world = zoo.world;
    assert_found(zoo, world->attachments[0].lead, world->attachments[1].lead, "serves another");
    assert_found(zoo, world->attachments[2].index, 8, "attachment 3: index 8");
    assert_found(zoo, world->attachments[2].body.generation, 7, "its body is gone");
    assert_found(zoo, world->attachments[2].frame.index, 5, "its frame is gone");
    assert_found(zoo, world->links[0].a.element, 7, "it holds nothing");
    assert_found(zoo, world->links[0].b.body.index, 0, "which know of");
    assert_found(zoo, world->frames[0].pose.position.x, NAN, "nowhere");
    assert_found(zoo, world->colliders.colliders[0].frame.index, 3, "collider 1");
    sn_world_destroy(world);
}

static void packs(void **state) {
    (void)state;
    Zoo zoo = make_zoo();
    const Body *body = sn__body_at(&zoo.world->bodies, zoo.soft[1].index);
    RodSystem *rods = rods_of(body);
    Rod *rod = rod_of(body);
    RodPack *pack = rods->packs[rod->pack];
    assert_found(zoo, rod->lane, 0, "its lane 0 is that of");
    assert_found(zoo, rod->pack, 9, "pack 9");
    assert_found(zoo, rod->segments, 6, "6 segments");
    assert_found(zoo, pack->lane[rod->lane].body, 0, "is that of body 0");
    assert_found(zoo, pack->lane[15].body, zoo.soft[1].index, "lies elsewhere");
    assert_found(zoo, pack->lane[15].body, zoo.stiff[1].index, "is no rod");
    assert_found(zoo, pack->lanes, 1, "is not among");
    assert_found(zoo, pack->asleep[rod->lane], true, "sleeps alone");
    assert_found(zoo, pack->open, false, "does not belong");
    assert_found(zoo, pack->leads[0].lane, 14, "lead 0");
    assert_found(zoo, pack->leads[0].held, HELD_SCALE, "nothing is held");
    assert_found(zoo, pack->leads[1].owner, 0, "");
    assert_found(zoo, pack->next, 77, "there is no pack 76");
    assert_found(zoo, rods->dead_pack, 1, "does not belong");
    assert_found(zoo, pack->state[2].vx[rod->lane], INFINITY, "not finite");
    sn_world_destroy(zoo.world);
}

static void groves(void **state) {
    (void)state;
    Zoo zoo = make_zoo();
    const Body *body = sn__body_at(&zoo.world->bodies, zoo.stiff[1].index);
    StiffRod *t = stiff_of(body);
    StiffGrove *grove = &t->system->groves[t->grove];
    Grove *g = &grove->g;
    assert_found(zoo, t->grove, 4, "grove 4");
    assert_found(zoo, t->slot[2], t->slot[3], "taken twice");
    assert_found(zoo, t->slot[2], STIFF_LANES * g->rows, "place");
    assert_found(zoo, t->slot[2], -1, "place -1");
    assert_found(zoo, t->joint[1].a, 7, "joint 1");
    assert_found(zoo, t->home[2], 99, "home 99");
    assert_found(zoo, t->leads[0].index, 1, "is not that of what it holds");
    assert_found(zoo, t->leads[0].owner, 0, "");
    assert_found(zoo, t->vertex_lead[5], 0, "are held by 1 leads");
    assert_found(zoo, t->asleep, true, "sleeps alone");
    assert_found(zoo, grove->segments, 3, "segments, not 3");
    assert_found(zoo, grove->rod_count, 2, "grove 0");
    assert_found(zoo, t->system->empty_groves, 1, "are empty");
    assert_found(zoo, g->row[0].parent[0], 0, "its parent is in row 0");
    assert_found(zoo, g->row[0].parent[0], 1 << 20, "parent 1048576");
    assert_found(zoo, g->state[0].wx[0], (double)NAN, "not finite");
    sn_world_destroy(zoo.world);
}

static void contacts(void **state) {
    (void)state;
    Zoo zoo = make_zoo();
    ContactSystem *s = &zoo.world->contacts;
    ContactList *list = &s->list;
    int knot = 0, full = 0;
    while (s->owners[knot].body == 0)
        ++knot;
    assert_true(list->batch_count > 0 && list->memory_count > 0);
    while (full < list->batch_count && list->batches[full].count < 2)
        ++full;
    assert_true(full < list->begin[CONTACT_COLOURS]);
    ContactBatch *batch = &list->batches[full];
    assert_found(zoo, s->owners[knot].body, 60, "of body 60");
    assert_found(zoo, s->owners[knot].element, 40, "of element 40");
    assert_found(zoo, s->owners[knot].second, s->knot_count, "of element");
    assert_found(zoo, batch->a1[0], s->knot_count, "there is no knot");
    assert_found(zoo, batch->a1[0], batch->a2[1], "twice in colour");
    assert_found(zoo, batch->origin[1], list->seed_count, "seed");
    assert_found(zoo, batch->count, 17, "17 lanes");
    assert_found(zoo, list->begin[1], list->batch_count + 1, "has batches");
    assert_found(zoo, list->memory[0].warm_1, NAN, "remembered");
    assert_found(zoo, list->memory_count, list->memory_capacity + 1, "are remembered");
    assert_found(zoo, s->ignored[0].a, 50, "ignored pair 0");
    assert_found(zoo, s->ignored[1].a, 1, "");
    sn_world_destroy(zoo.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids),   cmocka_unit_test(bodies), cmocka_unit_test(holders),
        cmocka_unit_test(packs), cmocka_unit_test(groves), cmocka_unit_test(contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
