// Kinematic frames and the elements attached to them.
#include <math.h>
#include <string.h>

#include "base/result.h"
#include "world/world.h"

#define ATTACHMENT_COOKIE 0x534e4154u

static bool pose_is_valid(SnPose p) {
    double n = (double)p.rotation.x * p.rotation.x + (double)p.rotation.y * p.rotation.y +
               (double)p.rotation.z * p.rotation.z + (double)p.rotation.w * p.rotation.w;
    return sn__finite3(p.position) && n > 0.5 && n < 2.0;
}

static SnResult bad_pose(void) {
    return sn__error(SN_ERROR_INVALID,
                     "frame: its position must be finite and its rotation a unit quaternion");
}

static SnPose normalised_pose(SnPose p) {
    p.rotation = quatf(normalisedq(quatd(p.rotation)));
    return p;
}

static Frame *frame_of(const SnWorld *world, SnFrameId id) {
    return sn__ids_valid(&world->frame_ids, id.index, id.generation) ? &world->frames[id.index - 1]
                                                                     : NULL;
}

static SnResult stale_frame(void) { return sn__error(SN_ERROR_STALE, "frame: id is stale"); }

SnResult sn_frame_create(SnWorld *world, SnPose pose, SnFrameId *out_frame) {
    if (!pose_is_valid(pose))
        return bad_pose();
    SnFrameId id;
    if (!sn__slots_reserve(&world->allocator, &world->frame_ids, (void **)&world->frames,
                           &world->frame_capacity, sizeof(Frame)) ||
        !sn__ids_acquire(&world->frame_ids, &world->allocator, &id.index, &id.generation))
        return sn__error(SN_ERROR_MEMORY, "frame: no memory");
    pose = normalised_pose(pose);
    world->frames[id.index - 1] = (Frame){pose, pose};
    world->revision += 1;
    *out_frame = id;
    return sn__ok();
}

SnResult sn_frame_set_target(SnWorld *world, SnFrameId id, SnPose target) {
    Frame *frame = frame_of(world, id);
    if (frame == NULL)
        return stale_frame();
    if (!pose_is_valid(target))
        return bad_pose();
    frame->target = normalised_pose(target);
    return sn__ok();
}

SnResult sn_frame_pose(const SnWorld *world, SnFrameId id, SnPose *out_pose) {
    const Frame *frame = frame_of(world, id);
    if (frame == NULL)
        return stale_frame();
    *out_pose = frame->pose;
    return sn__ok();
}

static bool attachment_in_use(const SnWorld *world, uint32_t slot) {
    return (world->attachment_ids.slots[slot].generation & 1u) != 0;
}

static int held_bit(SnAttachmentKind kind) {
    return kind == SN_ATTACH_VERTEX ? SN_HELD_VERTEX
                                    : (kind == SN_ATTACH_SEGMENT ? SN_HELD_FRAME : SN_HELD_SCALE);
}

static RodPlace place_of(const SnWorld *world, const Attachment *a) {
    return sn__rod_place(&world->rods, sn__rods_find(&world->rods, a->rod), a->index);
}

// Where the attached element should be with its frame at this pose, as the pack stores it.
static void led_to(const SnWorld *world, const Attachment *a, SnPose pose, float out[4]) {
    RodPlace at = place_of(world, a);
    const double *origin = at.pack->lane[at.lane].origin;
    Quatd turn = quatd(pose.rotation);
    if (a->kind == SN_ATTACH_VERTEX) {
        Vec3d p = addd(rotated(turn, vec3d(a->position)), vec3d(pose.position));
        out[0] = (float)(p.x - origin[0]);
        out[1] = (float)(p.y - origin[1]);
        out[2] = (float)(p.z - origin[2]);
        out[3] = 0.0f;
    } else if (a->kind == SN_ATTACH_SEGMENT) {
        SnQuat q = quatf(normalisedq(mulqd(turn, quatd(a->rotation))));
        out[0] = q.x;
        out[1] = q.y;
        out[2] = q.z;
        out[3] = q.w;
    } else {
        out[0] = a->scale;
        out[1] = out[2] = out[3] = 0.0f;
    }
}

static SnPose pose_or_identity(const SnWorld *world, SnFrameId id, bool target) {
    const Frame *frame = frame_of(world, id);
    return frame ? (target ? frame->target : frame->pose) : sn_pose_identity();
}

// Rotations are led along the shorter way.
static void same_side(const float from[4], float to[4]) {
    float dot = from[0] * to[0] + from[1] * to[1] + from[2] * to[2] + from[3] * to[3];
    for (int c = 0; c < 4 && dot < 0.0f; ++c)
        to[c] = -to[c];
}

void sn__frames_begin_step(SnWorld *world) {
    for (uint32_t k = 0; k < world->attachment_ids.slot_count; ++k) {
        Attachment *a = &world->attachments[k];
        if (!attachment_in_use(world, k) || (a->frame.index == 0 && !a->moving))
            continue;
        RodLead *lead = &place_of(world, a).pack->leads[a->lead];
        led_to(world, a, pose_or_identity(world, a->frame, true), lead->to);
        if (a->kind == SN_ATTACH_SEGMENT)
            same_side(lead->from, lead->to);
    }
}

void sn__frames_end_step(SnWorld *world) {
    for (uint32_t k = 0; k < world->frame_ids.slot_count; ++k)
        world->frames[k].pose = world->frames[k].target;
    for (uint32_t k = 0; k < world->attachment_ids.slot_count; ++k) {
        Attachment *a = &world->attachments[k];
        if (!attachment_in_use(world, k) || (a->frame.index == 0 && !a->moving))
            continue;
        RodLead *lead = &place_of(world, a).pack->leads[a->lead];
        memcpy(lead->from, lead->to, sizeof lead->from);
        a->moving = false;
    }
}

// Moves the element to where its lead starts, without velocity.
static void put_in_place(RodPlace at, const RodLead *lead) {
    RodState *s = at.pack->state + at.row;
    int i = at.lane;
    if (lead->held == SN_HELD_VERTEX) {
        s->x[i] = lead->from[0];
        s->y[i] = lead->from[1];
        s->z[i] = lead->from[2];
        s->vx[i] = s->vy[i] = s->vz[i] = 0.0f;
    } else if (lead->held == SN_HELD_FRAME) {
        s->qx[i] = lead->from[0];
        s->qy[i] = lead->from[1];
        s->qz[i] = lead->from[2];
        s->qw[i] = lead->from[3];
        s->wx[i] = s->wy[i] = s->wz[i] = 0.0f;
    } else {
        s->s[i] = lead->from[0];
        s->vs[i] = 0.0f;
    }
}

SnResult sn_frame_teleport(SnWorld *world, SnFrameId id, SnPose pose) {
    Frame *frame = frame_of(world, id);
    if (frame == NULL)
        return stale_frame();
    if (!pose_is_valid(pose))
        return bad_pose();
    frame->pose = frame->target = normalised_pose(pose);
    for (uint32_t k = 0; k < world->attachment_ids.slot_count; ++k) {
        Attachment *a = &world->attachments[k];
        if (!attachment_in_use(world, k) || a->frame.index != id.index)
            continue;
        RodPlace at = place_of(world, a);
        RodLead *lead = &at.pack->leads[a->lead];
        led_to(world, a, frame->pose, lead->from);
        memcpy(lead->to, lead->from, sizeof lead->to);
        put_in_place(at, lead);
    }
    return sn__ok();
}

SnResult sn_frame_destroy(SnWorld *world, SnFrameId id) {
    Frame *frame = frame_of(world, id);
    if (frame == NULL)
        return stale_frame();
    for (uint32_t k = 0; k < world->attachment_ids.slot_count; ++k) {
        Attachment *a = &world->attachments[k];
        if (!attachment_in_use(world, k) || a->frame.index != id.index)
            continue;
        Quatd turn = quatd(frame->pose.rotation);
        Vec3d p = addd(rotated(turn, vec3d(a->position)), vec3d(frame->pose.position));
        a->position = sn_vec3((float)p.x, (float)p.y, (float)p.z);
        a->rotation = quatf(normalisedq(mulqd(turn, quatd(a->rotation))));
        a->frame = (SnFrameId){0};
    }
    sn__ids_release(&world->frame_ids, id.index, id.generation);
    world->revision += 1;
    return sn__ok();
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
    if (!pose_is_valid((SnPose){position, rotation}))
        return sn__error(SN_ERROR_INVALID, "attachment: its position must be finite and its "
                                           "rotation a unit quaternion");
    if (!(scale >= 0.1f && scale <= 10.0f))
        return sn__error(SN_ERROR_INVALID, "attachment: scale: %g is not in [0.1, 10]",
                         (double)scale);
    return sn__ok();
}

static SnResult check_attachment(const SnWorld *world, const SnAttachmentDef *def) {
    if (def == NULL || def->cookie != ATTACHMENT_COOKIE)
        return sn__error(SN_ERROR_INVALID,
                         "attachment: definition was not made by sn_default_attachment_def");
    const Rod *rod = sn__rods_find(&world->rods, def->rod);
    if (rod == NULL)
        return sn__error(SN_ERROR_STALE, "attachment: rod: id is stale");
    if (def->frame.index != 0 && frame_of(world, def->frame) == NULL)
        return sn__error(SN_ERROR_STALE, "attachment: frame: id is stale");
    if (def->kind < SN_ATTACH_VERTEX || def->kind > SN_ATTACH_SCALE)
        return sn__error(SN_ERROR_INVALID, "attachment: kind: %d is not one of SnAttachmentKind",
                         (int)def->kind);
    int count = def->kind == SN_ATTACH_SEGMENT ? rod->segments : rod->vertices;
    if (def->index < 0 || def->index >= count)
        return sn__error(SN_ERROR_INVALID, "attachment: index: %d is not in [0, %d)", def->index,
                         count);
    RodPlace at = sn__rod_place(&world->rods, rod, def->index);
    if (def->kind == SN_ATTACH_SCALE && at.pack->classic)
        return sn__error(SN_ERROR_INVALID, "attachment: the scale of a classic rod is fixed");
    if (at.pack->held[at.row][at.lane] & held_bit(def->kind))
        return sn__error(SN_ERROR_INVALID, "attachment: element %d is attached already",
                         def->index);
    return def->keep_current ? sn__ok() : check_place(def->position, def->rotation, def->scale);
}

// The element's place now, seen from the frame.
static void keep_current(const SnWorld *world, RodPlace at, Attachment *a) {
    SnPose pose = pose_or_identity(world, a->frame, false);
    const RodState *s = at.pack->state + at.row;
    const double *o = at.pack->lane[at.lane].origin;
    int i = at.lane;
    Quatd back = conjugated(quatd(pose.rotation));
    Vec3d x = {o[0] + (double)s->x[i], o[1] + (double)s->y[i], o[2] + (double)s->z[i]};
    Vec3d p = rotated(back, subd(x, vec3d(pose.position)));
    Quatd q = {(double)s->qx[i], (double)s->qy[i], (double)s->qz[i], (double)s->qw[i]};
    a->position = sn_vec3((float)p.x, (float)p.y, (float)p.z);
    a->rotation = quatf(normalisedq(mulqd(back, q)));
    a->scale = s->s[i];
}

static bool reserve_lead(const SnAllocator *allocator, RodPack *pack) {
    if (pack->lead_count < pack->lead_capacity)
        return true;
    int grown = pack->lead_capacity ? 2 * pack->lead_capacity : 16;
    RodLead *leads = sn__grow(allocator, pack->leads, (size_t)pack->lead_capacity * sizeof(RodLead),
                              (size_t)grown * sizeof(RodLead));
    if (leads == NULL)
        return false;
    pack->leads = leads;
    pack->lead_capacity = grown;
    return true;
}

SnResult sn_attachment_create(SnWorld *world, const SnAttachmentDef *def,
                              SnAttachmentId *out_attachment) {
    SnResult result = check_attachment(world, def);
    if (result.code != SN_OK)
        return result;
    Attachment a = {.kind = def->kind,
                    .rod = def->rod,
                    .index = def->index,
                    .frame = def->frame,
                    .position = def->position,
                    .rotation = quatf(normalisedq(quatd(def->rotation))),
                    .scale = def->scale};
    RodPlace at = place_of(world, &a);
    SnAttachmentId id;
    if (!reserve_lead(&world->allocator, at.pack) ||
        !sn__slots_reserve(&world->allocator, &world->attachment_ids, (void **)&world->attachments,
                           &world->attachment_capacity, sizeof(Attachment)) ||
        !sn__ids_acquire(&world->attachment_ids, &world->allocator, &id.index, &id.generation))
        return sn__error(SN_ERROR_MEMORY, "attachment: no memory");
    if (def->keep_current)
        keep_current(world, at, &a);
    a.lead = at.pack->lead_count++;
    RodLead *lead = &at.pack->leads[a.lead];
    *lead = (RodLead){.row = at.row,
                      .lane = (int16_t)at.lane,
                      .held = (int16_t)held_bit(a.kind),
                      .attachment = id.index};
    led_to(world, &a, pose_or_identity(world, a.frame, false), lead->from);
    memcpy(lead->to, lead->from, sizeof lead->to);
    put_in_place(at, lead);
    at.pack->held[at.row][at.lane] |= (uint8_t)lead->held;
    at.pack->dirty = true;
    world->attachments[id.index - 1] = a;
    world->revision += 1;
    if (out_attachment)
        *out_attachment = id;
    return result;
}

static void release(SnWorld *world, uint32_t slot) {
    Attachment *a = &world->attachments[slot];
    RodPlace at = place_of(world, a);
    at.pack->held[at.row][at.lane] &= (uint8_t)~held_bit(a->kind);
    at.pack->dirty = true;
    RodLead *last = &at.pack->leads[--at.pack->lead_count];
    world->attachments[last->attachment - 1].lead = a->lead;
    at.pack->leads[a->lead] = *last;
    sn__ids_release(&world->attachment_ids, slot + 1, world->attachment_ids.slots[slot].generation);
    world->revision += 1;
}

SnResult sn_attachment_destroy(SnWorld *world, SnAttachmentId id) {
    if (!sn__ids_valid(&world->attachment_ids, id.index, id.generation))
        return sn__error(SN_ERROR_STALE, "attachment: id is stale");
    release(world, id.index - 1);
    return sn__ok();
}

void sn__attachments_drop_rod(SnWorld *world, SnRodId id) {
    const Rod *rod = sn__rods_find(&world->rods, id);
    RodPack *pack = world->rods.packs[rod->pack];
    for (int k = pack->lead_count; k-- > 0;) {
        uint32_t slot = pack->leads[k].attachment - 1;
        if (world->attachments[slot].rod.index == id.index)
            release(world, slot);
    }
}

SnResult sn_attachment_set_target(SnWorld *world, SnAttachmentId id, SnVec3 position,
                                  SnQuat rotation, float scale) {
    if (!sn__ids_valid(&world->attachment_ids, id.index, id.generation))
        return sn__error(SN_ERROR_STALE, "attachment: id is stale");
    SnResult result = check_place(position, rotation, scale);
    if (result.code != SN_OK)
        return result;
    Attachment *a = &world->attachments[id.index - 1];
    a->position = position;
    a->rotation = quatf(normalisedq(quatd(rotation)));
    a->scale = scale;
    a->moving = true;
    return result;
}
