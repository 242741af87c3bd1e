// Skins of a recording that split.
#include "base/null.h"
#include "io/gltf_data.h"

#include <string.h>

int sn__gltf_count_splits(const SnGltfDef *def, int *out_leads) {
    int count = 0;
    *out_leads = 0;
    for (int s = 0; s < def->skin_count; ++s) {
        count += def->skins[s].lead_count > 0;
        *out_leads += def->skins[s].lead_count;
    }
    return count;
}

static int find_body(const SnPoses *poses, SnBodyId id) {
    int k = 0;
    while (poses->bodies[k].index != id.index)
        ++k;
    return k;
}

static bool make_split(SnGltf *gltf, const SnPoses *poses, const SnSkinMesh *skin, int first,
                       GltfSplit *split) {
    size_t leads = (size_t)skin->lead_count;
    int body = find_body(poses, skin->bodies[0]);
    split->leads = sn__arena_alloc(&gltf->arena, leads, sizeof *split->leads);
    split->first = sn__arena_alloc(&gltf->arena, leads, sizeof *split->first);
    if (split->leads == NULL || split->first == NULL)
        return false;
    split->lead_count = skin->lead_count;
    memcpy(split->leads, skin->leads, leads * sizeof *split->leads);
    for (int k = 0; k < skin->lead_count; ++k) {
        int point = poses->point_begin[body] + skin->leads[k][1];
        split->first[k] = -1;
        gltf->positions[first + k] = gltf->positions[point];
        gltf->rotations[first + k] = gltf->rotations[point];
    }
    return true;
}

bool sn__gltf_make_splits(SnGltf *gltf, const SnPoses *poses, const SnGltfDef *def) {
    int count = gltf->rod_count - gltf->led_end, rod = gltf->led_end;
    int first = gltf->point_count + gltf->led_end - gltf->body_count;
    gltf->splits = sn__arena_alloc(&gltf->arena, (size_t)count, sizeof *gltf->splits);
    if (gltf->splits == NULL)
        return false;
    for (int s = 0; s < def->skin_count; ++s) {
        const SnSkinMesh *skin = &def->skins[s];
        if (skin->lead_count == 0)
            continue;
        GltfSplit *split = &gltf->splits[rod - gltf->led_end];
        *split = (GltfSplit){.skin = s};
        if (!make_split(gltf, poses, skin, first, split))
            return false;
        gltf->rods[rod++] = (GltfRod){.name = sn__arena_text(&gltf->arena, "pieces", 6),
                                      .first_vertex = first,
                                      .vertex_count = skin->lead_count,
                                      .skinned = true};
        first += skin->lead_count;
    }
    return true;
}

GltfSplit *sn__gltf_split_of(const SnGltf *gltf, int skin) {
    for (int k = 0; k < gltf->rod_count - gltf->led_end; ++k)
        if (gltf->splits[k].skin == skin)
            return &gltf->splits[k];
    return NULL;
}

static void *copied(SnGltf *gltf, const void *from, size_t size) {
    void *to = sn__arena_alloc(&gltf->arena, size, 1);
    return to ? memcpy(to, from, size) : NULL;
}

bool sn__gltf_bind_split(SnGltf *gltf, GltfSplit *split, const SnSkinMesh *skin,
                         const int *joint_of, TubeVertex *vertices) {
    size_t count = SN_SKIN_BONES * (size_t)skin->vertex_count;
    split->vertex_count = skin->vertex_count;
    split->bones = copied(gltf, skin->bones, count * sizeof(int));
    split->weights = copied(gltf, skin->weights, count * sizeof(float));
    split->vertex_leads = copied(gltf, skin->vertex_leads, count * sizeof(int));
    split->joint_of = joint_of; // in the arena as well
    split->vertices = vertices;
    return split->bones && split->weights && split->vertex_leads;
}

SnResult sn_gltf_split(SnGltf *gltf, int skin, const bool *apart) {
    if (gltf == NULL)
        return sn__null("gltf");
    if (apart == NULL)
        return sn__null("gltf: apart");
    GltfSplit *split = sn__gltf_split_of(gltf, skin);
    if (split == NULL)
        return sn_error(SN_ERROR_INVALID, "gltf: skin %d does not split", skin);
    for (int k = 0; k < split->lead_count; ++k)
        if (apart[k] && split->first[k] < 0)
            split->first[k] = gltf->frame_count;
    return sn_ok();
}

static Quatd rotation_of(const GltfSample *s) {
    return normalisedq((Quatd){s->rotation[0], s->rotation[1], s->rotation[2], s->rotation[3]});
}

// A place of the rest pose that is fixed to a joint, `arm` from it.
static GltfSample carried(const GltfSample *by, Vec3d arm, const GltfSample *before) {
    Vec3d at = {(double)by->position[0], (double)by->position[1], (double)by->position[2]};
    SnVec3 place = vec3f(addd(at, rotated(rotation_of(by), arm)));
    GltfSample out = *by;
    memcpy(out.position, &place, sizeof out.position);
    sn__gltf_put_rotation(quatf(rotation_of(by)), before, out.rotation);
    return out;
}

// Leads that never come apart stay where they are: nothing follows them.
static void move_lead(SnGltf *gltf, const GltfShape *shape, const GltfSplit *split, int lead) {
    const GltfRod *body = &gltf->rods[split->body];
    int own = gltf->rods[gltf->led_end + (int)(split - gltf->splits)].first_joint + lead;
    int joints[2], first = split->first[lead];
    for (int k = 0; k < 2; ++k)
        joints[k] = split->joint_of[split->leads[lead][k]];
    Vec3d arm =
        subd(vec3d(shape->bind_positions[joints[1]]), vec3d(shape->bind_positions[joints[0]]));
    for (int f = 0; f < gltf->frame_count; ++f) {
        GltfSample *samples = gltf->frames[f], *before = f > 0 ? &gltf->frames[f - 1][own] : NULL;
        if (first < 0)
            samples[own] = before ? *before : samples[body->first_joint + joints[1]];
        else if (f < first)
            samples[own] = samples[body->first_joint + joints[1]];
        else
            samples[own] = carried(&samples[body->first_joint + joints[0]], arm, before);
    }
}

static void follow_leads(const GltfShape *shape, const GltfSplit *split) {
    int first = shape->joint_count - split->lead_count;
    for (int i = 0; i < split->vertex_count; ++i) {
        int joints[SN_SKIN_BONES];
        for (int k = 0; k < SN_SKIN_BONES; ++k) {
            int lead = split->vertex_leads[SN_SKIN_BONES * i + k];
            joints[k] = lead >= 0 && split->first[lead] >= 0
                            ? first + lead
                            : split->joint_of[split->bones[SN_SKIN_BONES * i + k]];
        }
        TubeVertex *v = &split->vertices[i];
        memset(v->joints, 0, sizeof v->joints);
        memset(v->weights, 0, sizeof v->weights);
        sn__gltf_put_weights(joints, split->weights + SN_SKIN_BONES * i, v);
    }
}

void sn__gltf_finish_splits(SnGltf *gltf) {
    for (int k = 0; k < gltf->shape_count; ++k) {
        const GltfShape *shape = &gltf->shapes[k];
        int last = shape->rods[shape->rod_count - 1];
        if (last < gltf->led_end)
            continue;
        const GltfSplit *split = &gltf->splits[last - gltf->led_end];
        for (int lead = 0; lead < split->lead_count; ++lead)
            move_lead(gltf, shape, split, lead);
        follow_leads(shape, split);
    }
}
