// Saving, restoring and hashing the state.
//
// A snapshot is a header, what decides how much state there is (which joints are broken), and then, in
// a fixed order, every block of numbers that a step may change; contacts that are remembered come
// last. It holds no index and no address, so there is nothing in it to trust but numbers, and those are
// checked. One function walks over the blocks; size, save, check and restore are what is done with
// each.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/null.h"
#include "world/world.h"

#define SNAPSHOT_MAGIC 0x36317053636e6953u // "SincSp16"

typedef struct Header {
    uint64_t magic, checksum; // of all that follows
    uint64_t size, revision, breaks;
    double time;
    SnVec3 gravity;
    uint32_t contacts; // remembered, behind all other blocks
} Header;

#define UNCHECKED offsetof(Header, size) // bytes that the checksum does not cover

static void visit_shape(SnWorld *world, BodyVisit *visit, void *context) {
    for (int k = 0; k < BODY_KINDS; ++k)
        if (sn__body_kinds[k]->visit_shape)
            sn__body_kinds[k]->visit_shape(world->systems[k], visit, context);
}

static void visit_attachment(Attachment *a, BodyVisit *visit, void *context) {
    visit(context, BLOCK_FLOATS, &a->position, sizeof a->position);
    visit(context, BLOCK_FLOATS, &a->rotation, sizeof a->rotation);
    visit(context, BLOCK_FLOATS, &a->scale, sizeof a->scale);
    visit(context, BLOCK_FLAGS, &a->moving, sizeof a->moving);
}

static void visit_link(Link *link, BodyVisit *visit, void *context) {
    visit(context, BLOCK_FLOATS, &link->from, sizeof link->from);
    visit(context, BLOCK_FLOATS, &link->to, sizeof link->to);
    visit(context, BLOCK_FLOATS, &link->force, sizeof link->force);
    visit(context, BLOCK_FLOATS, &link->last, sizeof link->last);
    visit(context, BLOCK_FLOATS, &link->pull, sizeof link->pull);
    visit(context, BLOCK_FLOATS, &link->pressed, sizeof link->pressed);
}

static void visit_hinge(Hinge *hinge, BodyVisit *visit, void *context) {
    visit(context, BLOCK_DOUBLES, &hinge->angle, sizeof hinge->angle);
    visit(context, BLOCK_DOUBLES, &hinge->speed, sizeof hinge->speed);
    visit(context, BLOCK_FLOATS, &hinge->motor_torque, sizeof hinge->motor_torque);
    visit(context, BLOCK_FLOATS, &hinge->limit_torque, sizeof hinge->limit_torque);
    visit(context, BLOCK_DOUBLES, &hinge->bears, sizeof hinge->bears);
    visit(context, BLOCK_DOUBLES, &hinge->motor_bears, sizeof hinge->motor_bears);
    visit(context, BLOCK_DOUBLES, &hinge->limit_bears, sizeof hinge->limit_bears);
}

// Fields are few, and their definitions are checked as a whole (check_fields).
static void visit_fields(SnWorld *world, BodyVisit *visit, void *context) {
    visit(context, BLOCK_FIELDS, world->fields, sizeof world->fields);
    visit(context, BLOCK_DOUBLES, world->wind_states, sizeof world->wind_states);
}

static void visit_blocks(SnWorld *world, BodyVisit *visit, void *context) {
    for (int k = 0; k < BODY_KINDS; ++k)
        sn__body_kinds[k]->visit(world->systems[k], visit, context);
    Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k) {
        visit(context, BLOCK_FLOATS, &body->sleep.still, sizeof body->sleep.still);
        visit(context, BLOCK_FLAGS, &body->sleep.asleep, sizeof body->sleep.asleep);
    }
    visit(context, BLOCK_POSES, world->frames, world->frame_ids.slot_count * sizeof(Frame));
    for (uint32_t k = 0; k < world->frame_ids.slot_count; ++k) {
        FrameVia *via = &world->frame_vias[k];
        visit(context, BLOCK_POSES, via->pose, sizeof via->pose);
        visit(context, BLOCK_FLAGS, &via->curved, sizeof via->curved);
    }
    for (uint32_t k = 0; k < world->attachment_ids.slot_count; ++k)
        visit_attachment(&world->attachments[k], visit, context);
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k) {
        visit(context, BLOCK_FLOATS, &world->links[k].length_from, sizeof(float));
        visit(context, BLOCK_FLOATS, &world->links[k].length_to, sizeof(float));
        visit_link(&world->links[k], visit, context);
        world->links[k].length = world->links[k].length_from; // as it is between steps
    }
    for (uint32_t k = 0; k < world->colliders.ids.slot_count; ++k) {
        ColliderPose *pose = &world->colliders.colliders[k].local;
        visit(context, BLOCK_DOUBLES, pose, sizeof *pose);
    }
    for (uint32_t k = 0; k < world->hinges.ids.slot_count; ++k)
        visit_hinge(&world->hinges.hinges[k], visit, context);
    sn__muscles_visit(world, visit, context);
    visit_fields(world, visit, context);
}

static bool arrange(SnWorld *world) {
    bool arranged = true;
    for (int k = 0; k < BODY_KINDS; ++k)
        if (sn__body_kinds[k]->arrange)
            arranged = sn__body_kinds[k]->arrange(world->systems[k]) && arranged;
    return arranged;
}

static void add_size(void *context, BlockKind kind, void *block, size_t size) {
    (void)kind;
    (void)block;
    *(size_t *)context += size;
}

static void copy_out(void *context, BlockKind kind, void *block, size_t size) {
    (void)kind;
    char **at = context;
    if (size > 0)
        memcpy(*at, block, size);
    *at += size;
}

static size_t shape_size(SnWorld *world) {
    size_t size = 0;
    visit_shape(world, add_size, &size);
    return size;
}

static size_t contacts_size(size_t count) { return count * sizeof(ContactMemory); }

static size_t total_size(SnWorld *world, size_t contacts) {
    size_t size = sizeof(Header) + contacts_size(contacts);
    visit_shape(world, add_size, &size);
    visit_blocks(world, add_size, &size);
    return size;
}

// None if the next step will forget them.
static int remembered(const SnWorld *world) {
    return world->contacts.numbered ? world->contacts.list.memory_count : 0;
}

size_t sn_world_snapshot_size(SnWorld *world) {
    return GIVEN(world) && arrange(world) ? total_size(world, (size_t)remembered(world)) : 0;
}

static uint64_t checksum(const void *buffer, size_t size) {
    return sn__hash_bytes(0, (const char *)buffer + UNCHECKED, size - UNCHECKED);
}

SnResult sn_world_save(SnWorld *world, void *buffer, size_t size) {
    if (world == NULL || buffer == NULL)
        return sn__null(world ? "snapshot: buffer" : "snapshot: world");
    size_t needed = sn_world_snapshot_size(world);
    if (needed == 0)
        return sn_error(SN_ERROR_MEMORY, "snapshot: no memory to bring the world in order");
    if (size < needed)
        return sn_error(SN_ERROR_INVALID, "snapshot: %zu bytes are not enough, %zu are needed",
                        size, needed);
    Header header;
    memset(&header, 0, sizeof header);
    header.magic = SNAPSHOT_MAGIC;
    header.size = needed;
    header.revision = world->revision;
    header.breaks = world->breaks;
    header.time = world->time;
    header.gravity = world->gravity;
    header.contacts = (uint32_t)remembered(world);
    char *at = (char *)buffer + sizeof header;
    visit_shape(world, copy_out, &at);
    visit_blocks(world, copy_out, &at);
    copy_out(&at, BLOCK_FLOATS, world->contacts.list.memory, contacts_size(header.contacts));
    memcpy(buffer, &header, sizeof header);
    header.checksum = checksum(buffer, needed);
    memcpy(buffer, &header, sizeof header);
    return sn_ok();
}

// A walk over a snapshot: where it is, and what it found.
typedef struct Walk {
    const char *at;
    bool good;    // all numbers so far are those of a world, all flags are 0 or 1
    bool changed; // a flag is not what it is in the world
} Walk;

static bool floats_are_good(const char *at, size_t size) {
    bool good = true;
    for (size_t i = 0; i < size; i += sizeof(float)) {
        float value;
        memcpy(&value, at + i, sizeof value);
        good &= fabsf(value) <= LARGEST_NUMBER;
    }
    return good;
}

// No rigid body has more: kg·m²/s.
#define LARGEST_MOMENTUM 1e27

static bool doubles_are_good(const char *at, size_t size, double largest) {
    bool good = true;
    for (size_t i = 0; i < size; i += sizeof(double)) {
        double value;
        memcpy(&value, at + i, sizeof value);
        good &= fabs(value) <= largest;
    }
    return good;
}

static bool poses_are_valid(const char *at, size_t size) {
    bool valid = true;
    for (size_t i = 0; i < size; i += sizeof(SnPose)) {
        SnPose pose;
        memcpy(&pose, at + i, sizeof pose);
        valid &= sn__pose_is_valid(pose);
    }
    return valid;
}

static void check(void *context, BlockKind kind, void *block, size_t size) {
    Walk *walk = context;
    if (kind == BLOCK_FLOATS)
        walk->good &= floats_are_good(walk->at, size);
    else if (kind == BLOCK_DOUBLES)
        walk->good &= doubles_are_good(walk->at, size, (double)LARGEST_NUMBER);
    else if (kind == BLOCK_MOMENTA)
        walk->good &= doubles_are_good(walk->at, size, LARGEST_MOMENTUM);
    else if (kind == BLOCK_POSES)
        walk->good &= poses_are_valid(walk->at, size);
    else if (kind == BLOCK_FIELDS)
        walk->good &= sn__fields_are_valid(block, walk->at, size);
    else
        for (size_t i = 0; i < size; ++i)
            walk->good &= walk->at[i] == 0 || walk->at[i] == 1;
    walk->changed |= kind == BLOCK_FLAGS && size > 0 && memcmp(block, walk->at, size) != 0;
    walk->at += size;
}

static void copy_in(void *context, BlockKind kind, void *block, size_t size) {
    (void)kind;
    Walk *walk = context;
    if (size > 0)
        memcpy(block, walk->at, size);
    walk->at += size;
}

static SnResult changed(void) {
    return sn_error(SN_ERROR_INVALID,
                    "snapshot: something was created or destroyed since: a body, a collider, a "
                    "frame, an attachment, a link or a field");
}

static SnResult damaged(void) {
    return sn_error(SN_ERROR_FORMAT, "snapshot: it is damaged, its numbers do not fit together");
}

static SnResult check_header(const SnWorld *world, const void *buffer, size_t size,
                             Header *header) {
    if (size < sizeof *header)
        return sn_error(SN_ERROR_FORMAT, "snapshot: %zu bytes are too few for one", size);
    memcpy(header, buffer, sizeof *header);
    if (header->magic != SNAPSHOT_MAGIC)
        return sn_error(SN_ERROR_FORMAT, "snapshot: this is not one");
    if (size < header->size)
        return sn_error(SN_ERROR_FORMAT, "snapshot: %zu bytes of %zu", size, (size_t)header->size);
    if (header->size < sizeof *header || checksum(buffer, header->size) != header->checksum ||
        !isfinite(header->time) || !sn__finite3(header->gravity) ||
        header->contacts > header->size / sizeof(ContactMemory))
        return damaged();
    return header->revision == world->revision ? sn_ok() : changed();
}

// Puts the shape in; storage is then as it was when the snapshot was taken. False without memory.
static bool put_shape(SnWorld *world, const char *from) {
    Walk walk = {.at = from, .good = true};
    visit_shape(world, check, &walk);
    walk.at = from;
    visit_shape(world, copy_in, &walk);
    for (int k = 0; walk.changed && k < BODY_KINDS; ++k)
        if (sn__body_kinds[k]->restored_shape)
            sn__body_kinds[k]->restored_shape(world->systems[k]);
    if (walk.changed)
        world->contacts.numbered = false;
    return arrange(world);
}

// Whether all that follows the shape fits the world, and all numbers are numbers.
static SnResult check_blocks(SnWorld *world, const char *blocks, const Header *header) {
    if (header->size != total_size(world, header->contacts))
        return changed();
    Walk walk = {.at = blocks, .good = true};
    visit_blocks(world, check, &walk);
    for (uint32_t k = 0; k < header->contacts; ++k) {
        const char *memory = walk.at + contacts_size(k) + offsetof(ContactMemory, warm_normal);
        walk.good &=
            floats_are_good(memory, sizeof(ContactMemory) - offsetof(ContactMemory, warm_normal));
    }
    return walk.good ? sn_ok() : damaged();
}

static void put_blocks(SnWorld *world, const char *blocks, const Header *header) {
    ContactList *list = &world->contacts.list;
    assert((int)header->contacts <= list->memory_capacity);
    Walk walk = {.at = blocks};
    visit_blocks(world, copy_in, &walk);
    copy_in(&walk, BLOCK_FLOATS, list->memory, contacts_size(header->contacts));
    list->memory_count = (int)header->contacts;
    world->time = header->time;
    world->breaks = header->breaks;
    world->gravity = header->gravity;
    for (int k = 0; k < BODY_KINDS; ++k)
        if (sn__body_kinds[k]->restored)
            sn__body_kinds[k]->restored(world->systems[k]);
    sn__events_forget(world);
    world->last_substep = 0.0;
    ++world->pose_stamp;
}

static SnResult restore(SnWorld *world, const char *shape, const Header *header) {
    Walk walk = {.at = shape, .good = true};
    visit_shape(world, check, &walk);
    if (!walk.good)
        return damaged();
    bool ready = put_shape(world, shape) && sn__contacts_number(world);
    SnResult result = ready ? check_blocks(world, walk.at, header) : sn_ok();
    if (!ready || (result.code == SN_OK &&
                   !sn__contacts_reserve_memory(&world->contacts.list, (int)header->contacts)))
        return sn_error(SN_ERROR_MEMORY, "snapshot: no memory for %u contacts", header->contacts);
    if (result.code == SN_OK)
        put_blocks(world, walk.at, header);
    return result;
}

SnResult sn_world_restore(SnWorld *world, const void *buffer, size_t size) {
    Header header;
    if (world == NULL || buffer == NULL)
        return sn__null(world ? "snapshot: buffer" : "snapshot: world");
    SnResult result = check_header(world, buffer, size, &header);
    if (result.code != SN_OK)
        return result;
    size_t kept_size = shape_size(world);
    if (header.size < sizeof header + kept_size + contacts_size(header.contacts))
        return changed();
    // A snapshot that turns out to be bad must leave the world as it is.
    char *kept = sn__alloc(&world->allocator, kept_size), *at = kept;
    if (kept == NULL)
        return sn_error(SN_ERROR_MEMORY, "snapshot: no memory");
    visit_shape(world, copy_out, &at);
    result = restore(world, (const char *)buffer + sizeof header, &header);
    if (result.code != SN_OK)
        put_shape(world, kept);
    sn__free(&world->allocator, kept, kept_size);
    assert(sn__world_is_valid(world));
    return result;
}

static void add_hash(void *context, BlockKind kind, void *block, size_t size) {
    (void)kind;
    uint64_t *hash = context;
    *hash = sn__hash_bytes(*hash, block, size);
}

static uint64_t hash_body(const Body *body, uint64_t hash) {
    hash = body->kind->hash(body, hash);
    hash = sn__hash_bytes(hash, &body->surface, offsetof(SnSurface, sensor)); // no padding
    hash = body->sensor ? sn__hash_bytes(hash, &body->sensor, sizeof body->sensor) : hash;
    hash = sn__hash_bytes(hash, &body->filter, sizeof body->filter);
    hash = sn__hash_bytes(hash, &body->gravity_scale, sizeof body->gravity_scale);
    hash = sn__hash_bytes(hash, &body->sleep.still, sizeof body->sleep.still);
    return sn__hash_bytes(hash, &body->sleep.asleep, sizeof body->sleep.asleep);
}

// What is as its definition says decides the future as well, but needs no hash; what was set since does.
static void hash_set(SnWorld *world, uint64_t *hash) {
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        if (world->links[k].length_to != world->links[k].made_length)
            add_hash(hash, BLOCK_FLOATS, &world->links[k].length_to, sizeof(float));
    for (uint32_t k = 0; k < world->colliders.ids.slot_count; ++k) {
        Collider *c = &world->colliders.colliders[k];
        if (c->placed)
            add_hash(hash, BLOCK_DOUBLES, &c->local, sizeof c->local);
    }
    for (uint32_t k = 0; k < world->hinges.ids.slot_count; ++k)
        visit_hinge(&world->hinges.hinges[k], add_hash, hash);
}

uint64_t sn_world_hash(SnWorld *world) {
    if (!GIVEN(world))
        return 0;
    uint64_t hash = sn__hash_bytes(0, &world->time, sizeof world->time);
    hash = sn__hash_bytes(hash, &world->gravity, sizeof world->gravity);
    const Body *body;
    for (int k = 0; (body = sn__bodies_next(&world->bodies, NULL, &k)) != NULL; ++k)
        hash = hash_body(body, hash);
    add_hash(&hash, BLOCK_FLOATS, world->frames, world->frame_ids.slot_count * sizeof(Frame));
    for (uint32_t k = 0; k < world->frame_ids.slot_count; ++k)
        if (world->frame_vias[k].curved)
            add_hash(&hash, BLOCK_POSES, world->frame_vias[k].pose,
                     sizeof world->frame_vias[k].pose);
    for (uint32_t k = 0; k < world->attachment_ids.slot_count; ++k)
        visit_attachment(&world->attachments[k], add_hash, &hash);
    for (uint32_t k = 0; k < world->link_ids.slot_count; ++k)
        visit_link(&world->links[k], add_hash, &hash);
    hash_set(world, &hash);
    sn__muscles_visit(world, add_hash, &hash);
    visit_fields(world, add_hash, &hash);
    return sn__hash_bytes(hash, world->contacts.list.memory,
                          contacts_size((size_t)remembered(world)));
}
