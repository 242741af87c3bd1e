#include "world/world.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/isa.h"
#include "base/null.h"

// Worlds of so many bodies are looked at after every change, others only after a step.
#define FEW_BODIES 32

#define WORLD_COOKIE 0x534e574fu

SnWorldDef sn_default_world_def(void) {
    SnWorldDef def = {0};
    def.cookie = WORLD_COOKIE;
    def.gravity = sn_vec3(0.0f, -9.81f, 0.0f);
    def.thread_count = 1;
    def.isa = SN_ISA_BEST;
    return def;
}

static SnResult check_tolerance(float tolerance) {
    if (!(tolerance >= 0.0f))
        return sn_error(SN_ERROR_INVALID, "world: tolerance: %g is not >= 0", (double)tolerance);
    return sn_ok();
}

static SnResult check_sleep_speed(float speed) {
    if (!(speed >= 0.0f && speed <= SN_MAX_SPEED))
        return sn_error(SN_ERROR_INVALID, "world: sleep_speed: %g is not in [0, %g] m/s",
                        (double)speed, (double)SN_MAX_SPEED);
    return sn_ok();
}

static SnResult check_def(const SnWorldDef *def) {
    if (def == NULL || def->cookie != WORLD_COOKIE)
        return sn__no_def(def, "world", "sn_default_world_def");
    if (!sn__finite3(def->gravity))
        return sn_error(SN_ERROR_INVALID, "world: gravity is not finite");
    if (def->thread_count < 0 || def->thread_count > MAX_WORKERS)
        return sn_error(SN_ERROR_INVALID, "world: thread_count: %d is not in [0, %d]",
                        def->thread_count, MAX_WORKERS);
    if (def->tasks.parallel_for &&
        (def->tasks.worker_count < 1 || def->tasks.worker_count > MAX_WORKERS))
        return sn_error(SN_ERROR_INVALID, "world: tasks.worker_count: %d is not in [1, %d]",
                        def->tasks.worker_count, MAX_WORKERS);
    if ((def->allocator.allocate == NULL) != (def->allocator.release == NULL))
        return sn_error(SN_ERROR_INVALID, "world: allocator has only one of its two functions");
    if (def->isa < SN_ISA_BEST || def->isa > SN_ISA_AVX512 || !sn_isa_available(def->isa))
        return sn_error(SN_ERROR_INVALID, "world: isa: %s is not available here",
                        sn_isa_name(def->isa));
    SnResult result = check_sleep_speed(def->sleep_speed);
    return result.code == SN_OK ? check_tolerance(def->tolerance) : result;
}

void sn__world_changed(SnWorld *world, Change change, uint32_t index, uint32_t generation,
                       int detail) {
    uint64_t words[] = {change, index, generation, (uint64_t)detail};
    world->revision = sn__hash_bytes(world->revision, words, sizeof words);
    world->contacts.numbered = false;
    ++world->pose_stamp;
    if (change != CREATE_BODY)
        sn__wake_all(world);
    // To look at all of a large world each time one more body comes would take for ever.
    assert(world->bodies.ids.live_count > FEW_BODIES || sn__world_is_valid(world));
}

static bool create_systems(SnWorld *world) {
    bool complete = true;
    for (int k = 0; k < BODY_KINDS && complete; ++k) {
        world->systems[k] = sn__body_kinds[k]->create_system(&world->allocator, &world->bodies,
                                                             world->tasks.worker_count);
        complete = world->systems[k] != NULL;
    }
    return complete;
}

SnResult sn_world_create(const SnWorldDef *def, SnWorld **out_world) {
    SnResult result = check_def(def);
    if (result.code != SN_OK)
        return result;
    if (out_world == NULL)
        return sn__null("world: out_world");
    SnAllocator allocator = def->allocator.allocate ? def->allocator : sn__default_allocator();
    SnWorld *world = sn__alloc(&allocator, sizeof *world);
    if (world == NULL)
        return sn_error(SN_ERROR_MEMORY, "world: no memory");
    world->tolerance = (double)def->tolerance;
    world->reserve.user = allocator;
    world->allocator = sn__reserve_allocator(&world->reserve);
    world->bodies.allocator = world->contacts.list.allocator = world->allocator;
    world->isa = def->isa == SN_ISA_BEST ? sn__isa_best() : def->isa;
    world->gravity = def->gravity;
    world->sleep_speed = def->sleep_speed;
    world->tasks = def->tasks;
    if (def->tasks.parallel_for == NULL) {
        result = sn__pool_create(&allocator, def->thread_count, &world->pool);
        if (result.code == SN_OK)
            world->tasks = sn__pool_tasks(world->pool);
    }
    if (result.code == SN_OK && !create_systems(world))
        result = sn_error(SN_ERROR_MEMORY, "world: no memory");
    if (result.code != SN_OK) {
        sn_world_destroy(world);
        return result;
    }
    *out_world = world;
    return result;
}

void sn_world_destroy(SnWorld *world) {
    if (world == NULL)
        return;
    SnAllocator a = world->allocator, user = world->reserve.user;
    sn__contacts_release(world);
    sn__sleep_release(world);
    sn__colliders_destroy(world);
    sn__skins_destroy(world);
    sn__muscles_release(world);
    sn__queries_destroy(world);
    for (int k = 0; k < BODY_KINDS; ++k)
        if (world->systems[k])
            sn__body_kinds[k]->destroy_system(world->systems[k]);
    sn__bodies_destroy(&world->bodies);
    sn__free(&a, world->frames, (size_t)world->frame_capacity * sizeof(Frame));
    sn__free(&a, world->frame_vias, (size_t)world->frame_via_capacity * sizeof(FrameVia));
    sn__free(&a, world->attachments, (size_t)world->attachment_capacity * sizeof(Attachment));
    sn__ids_destroy(&world->frame_ids, &a);
    sn__ids_destroy(&world->attachment_ids, &a);
    sn__ids_destroy(&world->field_ids, &a);
    sn__hinges_destroy(world);
    sn__free(&a, world->links, (size_t)world->link_capacity * sizeof(Link));
    const TiedLinks *t = &world->tied;
    sn__free(&a, t->row, (size_t)t->row_capacity * sizeof *t->row);
    sn__free(&a, t->number, (size_t)t->number_capacity * sizeof *t->number);
    sn__ids_destroy(&world->link_ids, &a);
    sn__free(&a, world->poses.memory, world->poses.size);
    if (world->pool)
        sn__pool_destroy(world->pool);
    sn__reserve_destroy(&world->reserve);
    sn__free(&user, world, sizeof *world);
}

SnResult sn_world_set_gravity(SnWorld *world, SnVec3 gravity) {
    if (world == NULL)
        return sn__null("world");
    if (!sn__finite3(gravity))
        return sn_error(SN_ERROR_INVALID, "world: gravity is not finite");
    world->gravity = gravity;
    sn__wake_all(world);
    return sn_ok();
}

SnResult sn_world_set_tolerance(SnWorld *world, float tolerance) {
    if (world == NULL)
        return sn__null("world");
    SnResult result = check_tolerance(tolerance);
    if (result.code == SN_OK)
        world->tolerance = (double)tolerance;
    return result;
}

float sn_world_tolerance(const SnWorld *world) {
    return GIVEN(world) ? (float)world->tolerance : 0.0f;
}

SnResult sn_world_set_sleep_speed(SnWorld *world, float sleep_speed) {
    if (world == NULL)
        return sn__null("world");
    SnResult result = check_sleep_speed(sleep_speed);
    if (result.code != SN_OK)
        return result;
    sn__wake_all(world);
    world->sleep_speed = sleep_speed;
    return result;
}

float sn_world_sleep_speed(const SnWorld *world) {
    return GIVEN(world) ? world->sleep_speed : 0.0f;
}

SnResult sn_world_set_contact_test(SnWorld *world, SnContactTest *test, void *context) {
    if (world == NULL)
        return sn__null("world");
    world->contacts.test = test;
    world->contacts.test_context = context;
    sn__wake_all(world);
    return sn_ok();
}

SnContactTest *sn_world_contact_test(const SnWorld *world, void **out_context) {
    if (out_context)
        *out_context = GIVEN(world) ? world->contacts.test_context : NULL;
    return GIVEN(world) ? world->contacts.test : NULL;
}

SnVec3 sn_world_gravity(const SnWorld *world) {
    return GIVEN(world) ? world->gravity : (SnVec3){0};
}

double sn_world_time(const SnWorld *world) { return GIVEN(world) ? world->time : 0.0; }

SnIsa sn_world_isa(const SnWorld *world) { return GIVEN(world) ? world->isa : SN_ISA_BEST; }

SnStepTimes sn_world_step_times(const SnWorld *world) {
    return GIVEN(world) ? world->times : (SnStepTimes){0};
}
