#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/null.h"
#include "world/world.h"

#define FIELD_COOKIE 0x534e4649u

SnFieldDef sn_default_field_def(void) {
    SnFieldDef def = {0};
    def.cookie = FIELD_COOKIE;
    def.kind = SN_FIELD_UNIFORM;
    def.direction = sn_vec3(1.0f, 0.0f, 0.0f);
    def.radius = 1.0f;
    def.gust_period = 2.0f;
    def.air_density = 1.2f;
    def.eddy = 5.0f;
    return def;
}

static SnResult check(const SnFieldDef *def) {
    if (def == NULL || def->cookie != FIELD_COOKIE)
        return sn__no_def(def, "field", "sn_default_field_def");
    if (def->kind < SN_FIELD_UNIFORM || def->kind > SN_FIELD_WIND)
        return sn_error(SN_ERROR_INVALID, "field: kind: %d is not one of SnFieldKind",
                        (int)def->kind);
    if (!(fabsf(def->strength) <= 1e6f))
        return sn_error(SN_ERROR_INVALID, "field: strength: %g is not within 1e6",
                        (double)def->strength);
    if (!(lengthd(vec3d(def->direction)) > 1e-9) || !sn__finite3(def->direction))
        return sn_error(SN_ERROR_INVALID, "field: direction has no length or is not finite");
    if (!sn__within3(def->centre, SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "field: centre is not within %g m",
                        (double)SN_MAX_POSITION);
    if (!(def->radius >= 1e-3f && def->radius <= 1e6f))
        return sn_error(SN_ERROR_INVALID, "field: radius: %g is not in [1e-3, 1e6] m",
                        (double)def->radius);
    if (!(def->gust >= 0.0f && def->gust <= 1.0f))
        return sn_error(SN_ERROR_INVALID, "field: gust: %g is not in [0, 1]", (double)def->gust);
    if (!(def->gust_period >= 0.01f && def->gust_period <= 1e6f))
        return sn_error(SN_ERROR_INVALID, "field: gust_period: %g is not in [0.01, 1e6] s",
                        (double)def->gust_period);
    if (!(def->air_density >= 0.0f && def->air_density <= 1e4f))
        return sn_error(SN_ERROR_INVALID, "field: air_density: %g is not in [0, 1e4] kg/m³",
                        (double)def->air_density);
    if (!(def->turbulence >= 0.0f && def->turbulence <= 1.0f))
        return sn_error(SN_ERROR_INVALID, "field: turbulence: %g is not in [0, 1]",
                        (double)def->turbulence);
    if (!(def->eddy >= 0.01f && def->eddy <= 1e6f))
        return sn_error(SN_ERROR_INVALID, "field: eddy: %g is not in [0.01, 1e6] m",
                        (double)def->eddy);
    if (!(def->profile >= 0.0f && def->profile <= 0.5f))
        return sn_error(SN_ERROR_INVALID, "field: profile: %g is not in [0, 0.5]",
                        (double)def->profile);
    return sn_ok();
}

bool sn__fields_are_valid(const SnFieldDef *now, const char *bytes, size_t size) {
    const SnFieldDef unused = {0};
    for (size_t k = 0; k < size / sizeof unused; ++k) {
        SnFieldDef def;
        memcpy(&def, bytes + k * sizeof def, sizeof def);
        bool used = memcmp(&now[k], &unused, sizeof unused) != 0;
        if (used ? check(&def).code != SN_OK : memcmp(&def, &unused, sizeof def) != 0)
            return false;
    }
    return true;
}

SnResult sn_field_create(SnWorld *world, const SnFieldDef *def, SnFieldId *out_field) {
    if (world == NULL)
        return sn__null("field: world");
    SnResult result = check(def);
    if (result.code != SN_OK)
        return result;
    SnFieldId id;
    if (world->field_ids.live_count == SN_MAX_FIELDS)
        return sn_error(SN_ERROR_LIMIT, "field: there are SN_MAX_FIELDS, %d, already",
                        SN_MAX_FIELDS);
    if (!sn__ids_acquire(&world->field_ids, &world->allocator, &id.index, &id.generation))
        return sn_error(SN_ERROR_MEMORY, "field: no memory");
    assert(id.index <= SN_MAX_FIELDS);
    world->fields[id.index - 1] = *def;
    world->wind_states[id.index - 1] = (WindState){0};
    sn__world_changed(world, CREATE_FIELD, id.index, id.generation, 0);
    if (out_field)
        *out_field = id;
    return result;
}

SnResult sn_field_set(SnWorld *world, SnFieldId field, const SnFieldDef *def) {
    if (world == NULL)
        return sn__null("field: world");
    if (!sn__ids_valid(&world->field_ids, field.index, field.generation))
        return sn_error(SN_ERROR_STALE, "field: id is stale");
    SnResult result = check(def);
    if (result.code == SN_OK)
        world->fields[field.index - 1] = *def;
    sn__wake_all(world);
    return result;
}

static bool in_use(const SnWorld *world, uint32_t slot) {
    return (world->field_ids.slots[slot].generation & 1u) != 0;
}

SnResult sn_field_read(const SnWorld *world, SnFieldId field, SnFieldDef *out_def) {
    if (world == NULL)
        return sn__null("field: world");
    if (!sn__ids_valid(&world->field_ids, field.index, field.generation))
        return sn_error(SN_ERROR_STALE, "field: id is stale");
    if (out_def == NULL)
        return sn__null("field: out_def");
    *out_def = world->fields[field.index - 1];
    return sn_ok();
}

SnFieldId sn_world_next_field(const SnWorld *world, SnFieldId field) {
    bool valid = GIVEN(world) && (field.index == 0 ||
                                  sn__ids_valid(&world->field_ids, field.index, field.generation));
    for (uint32_t k = field.index; valid && k < world->field_ids.slot_count; ++k)
        if (in_use(world, k))
            return (SnFieldId){k + 1, world->field_ids.slots[k].generation};
    return (SnFieldId){0};
}

SnResult sn_field_destroy(SnWorld *world, SnFieldId field) {
    if (world == NULL)
        return sn__null("field: world");
    if (!sn__ids_release(&world->field_ids, field.index, field.generation))
        return sn_error(SN_ERROR_STALE, "field: id is stale");
    sn__world_changed(world, DESTROY_FIELD, field.index, field.generation, 0);
    return sn_ok();
}

static void begin_force(const SnFieldDef *def, SnFieldDef *out) {
    assert(def->kind != SN_FIELD_WIND);
    Vec3d d = vec3d(def->direction);
    d = scaled(d, 1.0 / lengthd(d));
    *out = *def;
    out->direction = sn_vec3((float)d.x, (float)d.y, (float)d.z);
}

int sn__fields_begin_step(SnWorld *world, float dt) {
    assert(world->field_ids.slot_count <= SN_MAX_FIELDS);
    Air *air = &world->air;
    air->count = 0;
    air->density = 0.0f;
    int count = 0;
    bool varies = false;
    for (uint32_t k = 0; k < world->field_ids.slot_count; ++k) {
        if (!in_use(world, k))
            continue;
        const SnFieldDef *def = &world->fields[k];
        if (def->kind != SN_FIELD_WIND) {
            begin_force(def, &world->active_fields[count++]);
            continue;
        }
        sn__wind_step(&world->wind_states[k], def, (double)dt, &air->winds[air->count++]);
        air->density = fmaxf(air->density, def->air_density);
        varies |= def->strength != 0.0f && (def->gust > 0.0f || def->turbulence > 0.0f);
    }
    if (varies) // who rests in a lull is not to sleep through the next gust
        sn__wake_all(world);
    return count;
}
