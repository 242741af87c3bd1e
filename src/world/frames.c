// Kinematic frames and the elements attached to them.
#include <assert.h>

#include "base/null.h"
#include "world/world.h"

#define ATTACHMENT_COOKIE 0x534e4154u

bool sn__pose_is_valid(SnPose p) {
    double n = (double)p.rotation.x * p.rotation.x + (double)p.rotation.y * p.rotation.y +
               (double)p.rotation.z * p.rotation.z + (double)p.rotation.w * p.rotation.w;
    return sn__within3(p.position, SN_MAX_POSITION) && n > 0.5 && n < 2.0;
}

static SnResult bad_pose(void) {
    return sn_error(SN_ERROR_INVALID,
                    "frame: its position must be within 1e9 m and its rotation a unit quaternion");
}

static SnPose normalised_pose(SnPose p) {
    p.rotation = quatf(normalisedq(quatd(p.rotation)));
    return p;
}

static Frame *frame_of(const SnWorld *world, SnFrameId id) {
    return world && sn__ids_valid(&world->frame_ids, id.index, id.generation)
               ? &world->frames[id.index - 1]
               : NULL;
}

// Why there is no such frame, or attachment.
static SnResult missing_frame(const SnWorld *world) {
    return world ? sn_error(SN_ERROR_STALE, "frame: id is stale") : sn__null("frame: world");
}

static SnResult missing_attachment(const SnWorld *world) {
    return world ? sn_error(SN_ERROR_STALE, "attachment: id is stale")
                 : sn__null("attachment: world");
}

SnResult sn_frame_create(SnWorld *world, SnPose pose, SnFrameId *out_frame) {
    if (world == NULL)
        return sn__null("frame: world");
    if (!sn__pose_is_valid(pose))
        return bad_pose();
    SnFrameId id;
    int count = (int)world->frame_ids.slot_count;
    if (!sn__reserve(&world->allocator, (void **)&world->frames, &world->frame_capacity, count,
                     sizeof(Frame)) ||
        !sn__reserve(&world->allocator, (void **)&world->frame_vias, &world->frame_via_capacity,
                     count, sizeof(FrameVia)) ||
        !sn__ids_acquire(&world->frame_ids, &world->allocator, &id.index, &id.generation))
        return sn_error(SN_ERROR_MEMORY, "frame: no memory");
    pose = normalised_pose(pose);
    world->frames[id.index - 1] = (Frame){pose, pose};
    world->frame_vias[id.index - 1] = (FrameVia){{pose, pose}, false, NULL};
    sn__world_changed(world, CREATE_FRAME, id.index, id.generation, 0);
    if (out_frame)
        *out_frame = id;
    return sn_ok();
}

static bool attachment_in_use(const SnWorld *world, uint32_t slot) {
    assert(slot < world->attachment_ids.slot_count);
    return (world->attachment_ids.slots[slot].generation & 1u) != 0;
}

// What hangs on a frame moves with it.
static void wake_attached(SnWorld *world, SnFrameId id) {
    for (uint32_t k = 0; k < world->attachment_ids.slot_count && world->sleep_speed > 0.0f; ++k)
        if (attachment_in_use(world, k) && world->attachments[k].frame.index == id.index)
            sn_body_wake(world, world->attachments[k].body);
    sn__links_wake_frame(world, id);
}

SnResult sn_frame_set_target(SnWorld *world, SnFrameId id, SnPose target) {
    Frame *frame = frame_of(world, id);
    if (frame == NULL)
        return missing_frame(world);
    if (!sn__pose_is_valid(target))
        return bad_pose();
    frame->target = normalised_pose(target);
    world->frame_vias[id.index - 1].curved = false;
    wake_attached(world, id);
    return sn_ok();
}

SnResult sn_frame_set_path(SnWorld *world, SnFrameId id, const SnPose path[3]) {
    if (path == NULL)
        return sn__null("frame: path");
    if (!sn__pose_is_valid(path[0]) || !sn__pose_is_valid(path[1]))
        return frame_of(world, id) ? bad_pose() : missing_frame(world);
    SnResult result = sn_frame_set_target(world, id, path[2]);
    if (result.code != SN_OK)
        return result;
    FrameVia *via = &world->frame_vias[id.index - 1];
    via->pose[0] = normalised_pose(path[0]);
    via->pose[1] = normalised_pose(path[1]);
    via->curved = true;
    return result;
}

SnResult sn_frame_target(const SnWorld *world, SnFrameId id, SnPose *out_target) {
    const Frame *frame = frame_of(world, id);
    if (frame == NULL)
        return missing_frame(world);
    if (out_target == NULL)
        return sn__null("frame: out_target");
    *out_target = frame->target;
    return sn_ok();
}

SnResult sn_frame_pose(const SnWorld *world, SnFrameId id, SnPose *out_pose) {
    const Frame *frame = frame_of(world, id);
    if (frame == NULL)
        return missing_frame(world);
    if (out_pose == NULL)
        return sn__null("frame: out_pose");
    *out_pose = frame->pose;
    return sn_ok();
}

bool sn_frame_is_valid(const SnWorld *world, SnFrameId id) {
    return GIVEN(world) && frame_of(world, id) != NULL;
}

void *sn_frame_user_data(const SnWorld *world, SnFrameId id) {
    return sn_frame_is_valid(world, id) ? world->frame_vias[id.index - 1].user_data : NULL;
}

SnResult sn_frame_set_user_data(SnWorld *world, SnFrameId id, void *user_data) {
    if (frame_of(world, id) == NULL)
        return missing_frame(world);
    world->frame_vias[id.index - 1].user_data = user_data;
    return sn_ok();
}

SnFrameId sn_world_next_frame(const SnWorld *world, SnFrameId id) {
    bool valid = GIVEN(world) && (id.index == 0 || frame_of(world, id) != NULL);
    for (uint32_t k = id.index; valid && k < world->frame_ids.slot_count; ++k)
        if (world->frame_ids.slots[k].generation & 1u)
            return (SnFrameId){k + 1, world->frame_ids.slots[k].generation};
    return (SnFrameId){0};
}

int sn__held_bit(SnAttachmentKind kind) {
    static const int bits[] = {[SN_ATTACH_VERTEX] = HELD_VERTEX,
                               [SN_ATTACH_SEGMENT] = HELD_FRAME,
                               [SN_ATTACH_SCALE] = HELD_SCALE,
                               [SN_ATTACH_MARK] = HELD_MARK,
                               [SN_ATTACH_DIRECTION] = HELD_DIRECTION};
    return bits[kind];
}

static bool is_mark(SnAttachmentKind kind) {
    return kind == SN_ATTACH_MARK || kind == SN_ATTACH_DIRECTION;
}

int sn__held_count(const Body *body, SnAttachmentKind kind) {
    if (is_mark(kind))
        return body->kind->marks ? body->kind->marks(body) : 0;
    return kind == SN_ATTACH_SEGMENT ? body->elements : body->points;
}

static Body *body_of(const SnWorld *world, const Attachment *a) {
    Body *body = sn__bodies_find(&world->bodies, a->body);
    assert(body); // attachments go with their bodies
    return body;
}

// Where the attached element is with its frame at this pose.
static HeldPose place_at(const Attachment *a, SnPose pose) {
    Quatd turn = quatd(pose.rotation);
    return (HeldPose){addd(rotated(turn, vec3d(a->position)), vec3d(pose.position)),
                      mulqd(turn, quatd(a->rotation)), a->scale};
}

static void set_place(Attachment *a, HeldPose place) {
    Vec3d p = place.position;
    a->position = sn_vec3((float)p.x, (float)p.y, (float)p.z);
    a->rotation = quatf(normalisedq(place.rotation));
    a->scale = place.scale;
}

SnPose sn__frame_pose_or_identity(const SnWorld *world, SnFrameId id, bool target) {
    const Frame *frame = frame_of(world, id);
    return frame ? (target ? frame->target : frame->pose) : sn_pose_identity();
}

const FrameVia *sn__frame_via(const SnWorld *world, SnFrameId id) {
    const FrameVia *via = frame_of(world, id) ? &world->frame_vias[id.index - 1] : NULL;
    return via && via->curved ? via : NULL;
}

static bool is_led(const SnWorld *world, uint32_t slot) {
    const Attachment *a = &world->attachments[slot];
    return attachment_in_use(world, slot) && (a->frame.index != 0 || a->moving);
}

void sn__frames_begin_step(SnWorld *world) {
    for (uint32_t k = 0; k < world->attachment_ids.slot_count; ++k) {
        const Attachment *a = &world->attachments[k];
        if (!is_led(world, k))
            continue;
        HeldPath path = {.to = place_at(a, sn__frame_pose_or_identity(world, a->frame, true))};
        const FrameVia *via = sn__frame_via(world, a->frame);
        // An attachment that moves within its frame goes straight, as its place is known at the end only.
        path.curved = via && !a->moving;
        for (int i = 0; i < 2 && path.curved; ++i)
            path.via[i] = place_at(a, via->pose[i]);
        Body *body = body_of(world, a);
        body->kind->lead(body, a->index, a->lead, &path);
    }
}

void sn__frames_end_step(SnWorld *world) {
    for (uint32_t k = 0; k < world->frame_ids.slot_count; ++k)
        world->frames[k].pose = world->frames[k].target;
    for (uint32_t k = 0; k < world->frame_ids.slot_count; ++k)
        world->frame_vias[k].curved = false;
    for (uint32_t k = 0; k < world->attachment_ids.slot_count; ++k) {
        Attachment *a = &world->attachments[k];
        if (!is_led(world, k))
            continue;
        Body *body = body_of(world, a);
        body->kind->settle(body, a->lead);
        a->moving = false;
    }
}

SnResult sn_frame_teleport(SnWorld *world, SnFrameId id, SnPose pose) {
    Frame *frame = frame_of(world, id);
    if (frame == NULL)
        return missing_frame(world);
    if (!sn__pose_is_valid(pose))
        return bad_pose();
    frame->pose = frame->target = normalised_pose(pose);
    world->frame_vias[id.index - 1].curved = false;
    wake_attached(world, id);
    for (uint32_t k = 0; k < world->attachment_ids.slot_count; ++k) {
        Attachment *a = &world->attachments[k];
        if (!attachment_in_use(world, k) || a->frame.index != id.index)
            continue;
        HeldPose place = place_at(a, frame->pose);
        Body *body = body_of(world, a);
        body->kind->jump(body, a->index, a->lead, &place);
    }
    ++world->pose_stamp;
    return sn_ok();
}

SnResult sn_frame_destroy(SnWorld *world, SnFrameId id) {
    Frame *frame = frame_of(world, id);
    if (frame == NULL)
        return missing_frame(world);
    for (uint32_t k = 0; k < world->attachment_ids.slot_count; ++k) {
        Attachment *a = &world->attachments[k];
        if (!attachment_in_use(world, k) || a->frame.index != id.index)
            continue;
        set_place(a, place_at(a, frame->pose));
        a->frame = (SnFrameId){0};
    }
    sn__colliders_drop_frame(world, id);
    sn__links_drop_frame(world, id);
    sn__hinges_drop_frame(world, id);
    sn__skins_drop_frame(world, id);
    sn__ids_release(&world->frame_ids, id.index, id.generation);
    sn__world_changed(world, DESTROY_FRAME, id.index, id.generation, 0);
    return sn_ok();
}

SnAttachmentDef sn_default_attachment_def(void) {
    SnAttachmentDef def = {0};
    def.cookie = ATTACHMENT_COOKIE;
    def.keep_current = true;
    def.rotation = sn_quat_identity();
    def.scale = 1.0f;
    return def;
}

static SnResult check_place(SnVec3 position, SnQuat rotation, float scale) {
    if (!sn__pose_is_valid((SnPose){position, rotation}))
        return sn_error(SN_ERROR_INVALID, "attachment: its position must be within 1e9 m and its "
                                          "rotation a unit quaternion");
    if (!(scale >= SCALE_MIN && scale <= SCALE_MAX))
        return sn_error(SN_ERROR_INVALID, "attachment: scale: %g is not in [%g, %g]", (double)scale,
                        (double)SCALE_MIN, (double)SCALE_MAX);
    return sn_ok();
}

// As SnAttachmentKind.
static const char *const held_names[] = {"position", "frame", "scale", "position", "direction"};
static const char *const held_things[] = {"point", "element", "point", "mark", "mark"};

static bool is_attached(const SnWorld *world, const SnAttachmentDef *def) {
    for (uint32_t k = 0; k < world->attachment_ids.slot_count; ++k) {
        const Attachment *a = &world->attachments[k];
        if (attachment_in_use(world, k) && a->body.index == def->body.index &&
            a->kind == def->kind && a->index == def->index)
            return true;
    }
    return false;
}

// By an attachment, or by nature: scales that are always 1 are held as if they were attached.
static SnResult already_held(const SnWorld *world, const SnAttachmentDef *def, const Body *body) {
    if (is_attached(world, def))
        return sn_error(SN_ERROR_INVALID, "attachment: the %s of %s %d is attached already",
                        held_names[def->kind], held_things[def->kind], def->index);
    return sn_error(SN_ERROR_INVALID,
                    "attachment: this %s has no scale to hold; only rods that preserve their "
                    "volume have one",
                    body->kind->name);
}

static SnResult check_attachment(const SnWorld *world, const SnAttachmentDef *def) {
    if (def == NULL || def->cookie != ATTACHMENT_COOKIE)
        return sn__no_def(def, "attachment", "sn_default_attachment_def");
    const Body *body = sn__bodies_find(&world->bodies, def->body);
    if (body == NULL)
        return sn_error(SN_ERROR_STALE, "attachment: body: id is stale");
    if (def->frame.index != 0 && frame_of(world, def->frame) == NULL)
        return sn_error(SN_ERROR_STALE, "attachment: frame: id is stale");
    if (def->kind < SN_ATTACH_VERTEX || def->kind > SN_ATTACH_DIRECTION)
        return sn_error(SN_ERROR_INVALID, "attachment: kind: %d is not one of SnAttachmentKind",
                        (int)def->kind);
    int count = sn__held_count(body, def->kind);
    if (is_mark(def->kind) && count == 0)
        return sn_error(SN_ERROR_INVALID,
                        "attachment: this %s has no marks; only solids have them, and "
                        "sn_solid_add_mark makes them",
                        body->kind->name);
    if (def->index < 0 || def->index >= count)
        return sn_error(SN_ERROR_INVALID, "attachment: index: %d is not in [0, %d)", def->index,
                        count);
    if (body->kind->is_held(body, sn__held_bit(def->kind), def->index))
        return already_held(world, def, body);
    return def->keep_current ? sn_ok() : check_place(def->position, def->rotation, def->scale);
}

// The element's place now, seen from the frame.
static HeldPose current_place(const SnWorld *world, const Attachment *a) {
    SnPose pose = sn__frame_pose_or_identity(world, a->frame, false);
    const Body *body = body_of(world, a);
    HeldPose place = is_mark(a->kind) ? body->kind->mark_pose(body, a->index)
                                      : body->kind->held_pose(body, a->index);
    Quatd back = conjugated(quatd(pose.rotation));
    place.position = rotated(back, subd(place.position, vec3d(pose.position)));
    place.rotation = mulqd(back, place.rotation);
    return place;
}

SnResult sn_attachment_create(SnWorld *world, const SnAttachmentDef *def,
                              SnAttachmentId *out_attachment) {
    if (world == NULL)
        return sn__null("attachment: world");
    SnResult result = check_attachment(world, def);
    if (result.code != SN_OK)
        return result;
    Attachment a = {.kind = def->kind,
                    .body = def->body,
                    .index = def->index,
                    .frame = def->frame,
                    .position = def->position,
                    .rotation = quatf(normalisedq(quatd(def->rotation))),
                    .scale = def->scale};
    if (def->keep_current)
        set_place(&a, current_place(world, &a));
    SnAttachmentId id;
    if (!sn__reserve(&world->allocator, (void **)&world->attachments, &world->attachment_capacity,
                     (int)world->attachment_ids.slot_count, sizeof(Attachment)) ||
        !sn__ids_acquire(&world->attachment_ids, &world->allocator, &id.index, &id.generation))
        return sn_error(SN_ERROR_MEMORY, "attachment: no memory");
    HeldPose place = place_at(&a, sn__frame_pose_or_identity(world, a.frame, false));
    Body *body = body_of(world, &a);
    a.lead = body->kind->hold(body, sn__held_bit(a.kind), a.index, id.index, &place);
    if (a.lead < 0) {
        sn__ids_release(&world->attachment_ids, id.index, id.generation);
        return sn_error(SN_ERROR_MEMORY, "attachment: no memory");
    }
    ++body->holds;
    world->attachments[id.index - 1] = a;
    sn__world_changed(world, CREATE_ATTACHMENT, id.index, id.generation, (int)a.body.index);
    if (out_attachment)
        *out_attachment = id;
    return result;
}

static void release(SnWorld *world, uint32_t slot) {
    const Attachment *a = &world->attachments[slot];
    Body *body = body_of(world, a);
    --body->holds;
    assert(body->holds >= 0);
    uint32_t moved = body->kind->release(body, sn__held_bit(a->kind), a->index, a->lead);
    assert(moved >= 1 && moved <= world->attachment_ids.slot_count);
    world->attachments[moved - 1].lead = a->lead;
    sn__ids_release(&world->attachment_ids, slot + 1, world->attachment_ids.slots[slot].generation);
    sn__world_changed(world, DESTROY_ATTACHMENT, slot + 1, 0, 0);
}

SnResult sn_attachment_destroy(SnWorld *world, SnAttachmentId id) {
    if (world == NULL || !sn__ids_valid(&world->attachment_ids, id.index, id.generation))
        return missing_attachment(world);
    release(world, id.index - 1);
    return sn_ok();
}

void sn__attachments_drop_body(SnWorld *world, SnBodyId id) {
    const Body *body = sn__bodies_find(&world->bodies, id);
    uint32_t owner;
    // What is released leaves its number to another one.
    for (int k = 0; (owner = body->kind->lead_owner(body, k)) != 0;)
        if (world->attachments[owner - 1].body.index == id.index)
            release(world, owner - 1);
        else
            ++k;
}

SnResult sn_attachment_set_target(SnWorld *world, SnAttachmentId id, SnVec3 position,
                                  SnQuat rotation, float scale) {
    if (world == NULL || !sn__ids_valid(&world->attachment_ids, id.index, id.generation))
        return missing_attachment(world);
    SnResult result = check_place(position, rotation, scale);
    if (result.code != SN_OK)
        return result;
    Attachment *a = &world->attachments[id.index - 1];
    a->position = position;
    a->rotation = quatf(normalisedq(quatd(rotation)));
    a->scale = scale;
    a->moving = true;
    sn_body_wake(world, a->body);
    return result;
}
