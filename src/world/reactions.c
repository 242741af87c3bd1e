// What attachments do to hold their bodies.
#include <string.h>

#include "base/memory.h"
#include "base/null.h"
#include "collide/contact_general.h"
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

static void add_load(const Body *body, int element, double t, Vec3d force, Vec3d *loads) {
    int ends[2];
    body->kind->edge(body, element, ends);
    loads[ends[0]] = addd(loads[ends[0]], scaled(force, 1.0 - t));
    loads[ends[1]] = addd(loads[ends[1]], scaled(force, t));
}

// All that a contact does to its side a, but for what turns it, N.
static Vec3d force_of_contact(const ContactBatch *batch, int i, double h) {
    Vec3d n = {(double)batch->normal_x[i], (double)batch->normal_y[i], (double)batch->normal_z[i]};
    Vec3d t1 = {(double)batch->along_x[i], (double)batch->along_y[i], (double)batch->along_z[i]};
    Vec3d t2 = crossd(n, t1);
    if (batch->general)
        sn__general_across(n, &t1, &t2);
    Vec3d across = addd(scaled(t1, (double)batch->mu_1[i]), scaled(t2, (double)batch->mu_2[i]));
    return scaled(addd(scaled(n, (double)batch->mu_normal[i]), across), 1.0 / (h * h));
}

static void add_contacts(const SnWorld *world, const Body *body, Vec3d *loads) {
    const ContactList *list = &world->contacts.list;
    const KnotOwner *owners = world->contacts.owners;
    for (int k = 0; k < list->batch_count && world->contacts.numbered; ++k) {
        const ContactBatch *batch = &list->batches[k];
        for (int i = 0; i < batch->count; ++i) {
            if (!(batch->mu_normal[i] > 0.0f))
                continue;
            const KnotOwner *a = &owners[batch->a[i]], *b = &owners[batch->b[i]];
            Vec3d force = force_of_contact(batch, i, world->last_substep);
            if (a->body == body->slot)
                add_load(body, a->element, (double)batch->t[i], force, loads);
            if (batch->kind == CONTACT_PAIR && b->body == body->slot)
                add_load(body, b->element, (double)batch->u[i], scaled(force, -1.0), loads);
        }
    }
}

static void add_links(SnWorld *world, const Body *body, Vec3d *loads) {
    for (uint32_t n = body->first_link; n != 0; n = *sn__link_after(world, n)) {
        const Link *link = &world->links[(n - 1) / 2];
        bool second = (n - 1) % 2 != 0;
        const SnBodyPoint *at = second ? &link->b : &link->a;
        add_load(body, at->element, (double)at->t, scaled(vec3d(link->last), second ? -1.0 : 1.0),
                 loads);
    }
}

// False without memory.
static bool find_reaction(SnWorld *world, const Body *body, HeldQuestion *question,
                          HeldReaction *out) {
    size_t size = (size_t)body->points * sizeof(Vec3d);
    Vec3d *loads = sn__alloc(&world->allocator, size);
    if (loads == NULL)
        return false;
    memset(loads, 0, size);
    add_links(world, body, loads);
    add_contacts(world, body, loads);
    question->loads = loads;
    bool found = body->kind->reaction(body, question, out);
    sn__free(&world->allocator, loads, size);
    return found;
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
    HeldReaction reaction = {0};
    if (world->last_substep > 0.0 && !find_reaction(world, body, &question, &reaction))
        return sn_error(SN_ERROR_MEMORY, "attachment: no memory");
    SnReaction told = {vec3f(reaction.force), vec3f(reaction.torque)};
    if (!sn__finite3(told.force) || !sn__finite3(told.torque)) // the body was lost in the step
        told = (SnReaction){0};
    *out_reaction = told;
    return sn_ok();
}
