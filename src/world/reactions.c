// What attachments do to hold their bodies.
#include "base/null.h"
#include "world/world.h"

static const Attachment *attachment_of(const SnWorld *world, SnAttachmentId id) {
    return sn__ids_valid(&world->attachment_ids, id.index, id.generation)
               ? &world->attachments[id.index - 1]
               : NULL;
}

SnAttachmentId sn_world_next_attachment(const SnWorld *world, SnAttachmentId id) {
    const SnAttachmentId none = {0, 0};
    if (!GIVEN(world) || (id.index != 0 && attachment_of(world, id) == NULL))
        return none;
    const IdPool *ids = &world->attachment_ids;
    for (uint32_t slot = id.index; slot < ids->slot_count; ++slot)
        if (ids->slots[slot].generation & 1u)
            return (SnAttachmentId){slot + 1, ids->slots[slot].generation};
    return none;
}

SnResult sn_attachment_read(const SnWorld *world, SnAttachmentId id, SnAttachmentDef *out_def) {
    if (world == NULL || out_def == NULL)
        return sn__null(world ? "attachment: out_def" : "attachment: world");
    const Attachment *a = attachment_of(world, id);
    if (a == NULL)
        return sn_error(SN_ERROR_STALE, "attachment: id is stale");
    SnAttachmentDef def = sn_default_attachment_def();
    def.kind = a->kind;
    def.body = a->body;
    def.index = a->index;
    def.frame = a->frame;
    def.keep_current = false;
    def.position = a->position;
    def.rotation = a->rotation;
    def.scale = a->scale;
    *out_def = def;
    return sn_ok();
}

static bool is_pressed(const SnWorld *world, uint32_t slot) {
    const ContactList *list = &world->contacts.list;
    const KnotOwner *owners = world->contacts.owners;
    for (int k = 0; k < list->batch_count; ++k) {
        const ContactBatch *batch = &list->batches[k];
        for (int i = 0; i < batch->count; ++i)
            if (batch->mu_normal[i] > 0.0f &&
                (owners[batch->a[i]].body == slot ||
                 (batch->kind == CONTACT_PAIR && owners[batch->b[i]].body == slot)))
                return true;
    }
    return false;
}

#define MOST_LOADS 64

// All links of a body, and whether that is all that there is.
static int gather_loads(SnWorld *world, const Body *body, HeldLoad *out_loads, bool *out_pressed) {
    int count = 0;
    *out_pressed = false;
    for (uint32_t n = body->first_link; n != 0; n = *sn__link_after(world, n)) {
        const Link *link = &world->links[(n - 1) / 2];
        bool second = (n - 1) % 2 != 0;
        if (count == MOST_LOADS) {
            *out_pressed = true;
            return 0;
        }
        out_loads[count++] =
            (HeldLoad){second ? link->b : link->a, scaled(vec3d(link->last), second ? -1.0 : 1.0)};
    }
    if (count > 0)
        *out_pressed = is_pressed(world, body->slot);
    return count;
}

SnResult sn_attachment_reaction(SnWorld *world, SnAttachmentId id, SnReaction *out_reaction) {
    if (world == NULL || out_reaction == NULL)
        return sn__null(world ? "attachment: out_reaction" : "attachment: world");
    const Attachment *a = attachment_of(world, id);
    if (a == NULL)
        return sn_error(SN_ERROR_STALE, "attachment: id is stale");
    const Body *body = sn__bodies_find(&world->bodies, a->body);
    HeldQuestion question = {.held = sn__held_bit(a->kind),
                             .index = a->index,
                             .h = world->last_substep,
                             .gravity = world->gravity,
                             .fields = world->active_fields,
                             .field_count = world->last_fields};
    HeldLoad loads[MOST_LOADS];
    question.loads = loads;
    question.load_count = gather_loads(world, body, loads, &question.pressed);
    HeldReaction reaction = {0};
    if (world->last_substep > 0.0 && !body->kind->reaction(body, &question, &reaction))
        return sn_error(SN_ERROR_MEMORY, "attachment: no memory");
    SnReaction told = {vec3f(reaction.force), vec3f(reaction.torque)};
    if (!sn__finite3(told.force) || !sn__finite3(told.torque)) // the body was lost in the step
        told = (SnReaction){0};
    *out_reaction = told;
    return sn_ok();
}
