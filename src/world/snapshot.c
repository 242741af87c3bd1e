// Saving, restoring and hashing the state.
//
// A snapshot is a header, the joints of stiff rods and then, in a fixed order, every block of memory
// that a step may change. One function walks over these blocks; size, save and restore are what is
// done with each. Joints come first, because the number of other blocks depends on which are broken.
#include <string.h>

#include "base/hash.h"
#include "rod/access.h"
#include "world/world.h"

#define SNAPSHOT_MAGIC 0x31317053636e6953u // "SincSp11"

typedef struct Header {
    uint64_t magic, size, revision, breaks;
    double time;
    SnVec3 gravity;
    uint32_t contacts; // remembered, behind all other blocks
} Header;

static void visit_blocks(const SnWorld *world, RodVisit *visit, void *context) {
    sn__rods_visit(&world->rods, visit, context);
    sn__stiff_visit(world, visit, context);
    visit(context, world->frames, world->frame_ids.slot_count * sizeof(Frame));
    visit(context, world->attachments, world->attachment_ids.slot_count * sizeof(Attachment));
    visit(context, world->links, world->link_ids.slot_count * sizeof(Link));
    visit(context, (void *)world->fields, sizeof world->fields);
    visit(context, (void *)world->wind_states, sizeof world->wind_states);
}

static void add_size(void *context, void *block, size_t size) {
    (void)block;
    *(size_t *)context += size;
}

static void copy_out(void *context, void *block, size_t size) {
    char **at = context;
    if (size > 0)
        memcpy(*at, block, size);
    *at += size;
}

static void copy_in(void *context, void *block, size_t size) {
    const char **at = context;
    if (size > 0)
        memcpy(block, *at, size);
    *at += size;
}

static size_t joints_size(const SnWorld *world) {
    size_t size = 0;
    sn__stiff_visit_joints(world, add_size, &size);
    return size;
}

static size_t fixed_size(const SnWorld *world) {
    size_t size = sizeof(Header) + joints_size(world);
    visit_blocks(world, add_size, &size);
    return size;
}

static size_t contacts_size(size_t count) { return count * sizeof(ContactMemory); }

// None if the next step will forget them.
static int remembered(const SnWorld *world) {
    return world->contacts.numbered ? world->contacts.list.memory_count : 0;
}

size_t sn_world_snapshot_size(const SnWorld *world) {
    return fixed_size(world) + contacts_size((size_t)remembered(world));
}

SnResult sn_world_save(const SnWorld *world, void *buffer, size_t size) {
    size_t needed = sn_world_snapshot_size(world);
    if (buffer == NULL || size < needed)
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
    memcpy(buffer, &header, sizeof header);
    char *at = (char *)buffer + sizeof header;
    sn__stiff_visit_joints(world, copy_out, &at);
    visit_blocks(world, copy_out, &at);
    copy_out(&at, world->contacts.list.memory, contacts_size(header.contacts));
    return sn_ok();
}

static SnResult changed(void) {
    return sn_error(SN_ERROR_INVALID,
                    "snapshot: bodies, frames or fields were created or destroyed since");
}

SnResult sn_world_restore(SnWorld *world, const void *buffer, size_t size) {
    Header header;
    if (buffer == NULL || size < sizeof header)
        return sn_error(SN_ERROR_FORMAT, "snapshot: %zu bytes are too few for one", size);
    memcpy(&header, buffer, sizeof header);
    if (header.magic != SNAPSHOT_MAGIC)
        return sn_error(SN_ERROR_FORMAT, "snapshot: this is not one");
    const char *joints = (const char *)buffer + sizeof header;
    size_t least = sizeof header + joints_size(world) + contacts_size(header.contacts);
    if (header.revision != world->revision || header.size < least)
        return changed();
    if (size < header.size)
        return sn_error(SN_ERROR_FORMAT, "snapshot: %zu bytes of %zu", size, (size_t)header.size);
    if (!sn__stiff_read_joints(world, joints) || !sn__contacts_number(world) ||
        !sn__contacts_reserve_memory(&world->contacts.list, (int)header.contacts))
        return sn_error(SN_ERROR_MEMORY, "snapshot: no memory for %u contacts", header.contacts);
    if (header.size != fixed_size(world) + contacts_size(header.contacts))
        return changed();
    const char *at = joints + joints_size(world);
    visit_blocks(world, copy_in, &at);
    copy_in(&at, world->contacts.list.memory, contacts_size(header.contacts));
    world->contacts.list.memory_count = (int)header.contacts;
    world->time = header.time;
    world->breaks = header.breaks;
    world->gravity = header.gravity;
    sn__rods_restored(&world->rods);
    sn__stiff_restored(world);
    ++world->pose_stamp;
    return sn_ok();
}

uint64_t sn_world_hash(const SnWorld *world) {
    uint64_t hash = sn__hash_bytes(0, &world->time, sizeof world->time);
    for (int k = 0; k < world->rods.order_count; ++k)
        if (world->rods.order[k] != 0)
            hash = sn__rod_hash(&world->rods, &world->rods.rods[world->rods.order[k] - 1], hash);
    return hash;
}
