#include "app/moment.h"

#include <stdlib.h>
#include <string.h>

static SnResult make_room(const SnScene *scene, Moment *moment) {
    size_t skins = (size_t)sn_scene_skin_count(scene);
    size_t rods = (size_t)moment->rods.body_count;
    moment->collider_count = sn_scene_collider_count(scene);
    if (moment->colliders == NULL) {
        moment->skin_meshes = calloc(skins + 1, sizeof *moment->skin_meshes);
        moment->skin_bodies = calloc(skins + 1, sizeof *moment->skin_bodies);
        moment->under_skin = calloc(rods + 1, sizeof *moment->under_skin);
        moment->colliders = calloc((size_t)moment->collider_count + 1, sizeof *moment->colliders);
    }
    if (moment->skin_meshes == NULL || moment->skin_bodies == NULL || moment->under_skin == NULL ||
        moment->colliders == NULL)
        return sn_error(SN_ERROR_MEMORY, "picture: no memory for %zu skins and %d colliders", skins,
                        moment->collider_count);
    return sn_ok();
}

// What a clear skin lies over is seen. Skins come in the order of their rods as a rule, so the search goes on
// where the last one ended.
static void mark_under_skin(Moment *moment, int skin, bool clear, int *at) {
    const SnPoses *poses = &moment->rods;
    const SnSkinMesh *mesh = &moment->skin_meshes[skin];
    for (int i = 0; i < mesh->body_count; ++i)
        for (int k = 0; k < poses->body_count; ++k) {
            int rod = (*at + k) % poses->body_count;
            if (poses->bodies[rod].index == mesh->bodies[i].index) {
                moment->under_skin[rod] |= !clear;
                if (i == 0)
                    moment->skin_bodies[skin] = rod;
                *at = rod + 1;
                break;
            }
        }
}

static SnResult take_skins(const SnScene *scene, SnWorld *world, Moment *moment) {
    moment->skins = (SnSkinPoses){0};
    if (sn_scene_skin_count(scene) == 0)
        return sn_ok();
    SnResult result = sn_world_skins(world, &moment->skins);
    for (int i = 0, at = 0; i < moment->skins.skin_count && result.code == SN_OK; ++i) {
        result = sn_skin_mesh(world, moment->skins.skins[i], &moment->skin_meshes[i]);
        if (result.code == SN_OK)
            mark_under_skin(moment, i, sn_scene_skin(scene, i).opacity < 1.0f, &at);
    }
    return result;
}

// A muscle under the skin of a skeleton that is shown.
static bool under_actor(const SnScene *scene, int body) {
    int skeleton = sn_scene_body(scene, body).flesh_of;
    SnSceneSkeleton over = sn_scene_skeleton(scene, skeleton);
    return skeleton >= 0 && over.implicit && over.shows_mesh;
}

SnResult moment_take(const SnScene *scene, SnWorld *world, double time, Moment *moment) {
    moment->time = time;
    SnResult result = sn_world_poses(world, &moment->rods);
    if (result.code == SN_OK)
        result = make_room(scene, moment);
    for (int i = 0; i < moment->rods.body_count && result.code == SN_OK; ++i)
        moment->under_skin[i] = under_actor(scene, i);
    if (result.code == SN_OK)
        result = take_skins(scene, world, moment);
    for (int i = 0; i < moment->collider_count && result.code == SN_OK; ++i)
        result = sn_collider_pose(world, sn_scene_collider(scene, i).id, &moment->colliders[i]);
    if (result.code == SN_OK)
        moment->contacts = sn_world_contact_events(world);
    return result;
}

// Copies an array to *at, which moves behind it; sizes first with `at` still NULL.
typedef struct Packer {
    char *at;
    size_t size;
} Packer;

static const void *pack(Packer *packer, const void *from, size_t size) {
    void *to = packer->at ? packer->at + packer->size : NULL;
    if (to && size)
        memcpy(to, from, size);
    packer->size += (size + 15) & ~(size_t)15;
    return to;
}

static void pack_rods(Packer *packer, const SnPoses *from, SnPoses *to) {
    size_t begins = ((size_t)from->body_count + 1) * sizeof(int);
    size_t scalars = (size_t)from->point_count * sizeof(float);
    size_t segments = (size_t)from->element_count;
    *to = *from;
    to->bodies = NULL;
    to->scales = NULL;
    to->rotations = NULL;
    to->led_count = 0;
    to->led = NULL;
    to->led_poses = NULL;
    to->point_begin = pack(packer, from->point_begin, begins);
    to->element_begin = pack(packer, from->element_begin, begins);
    to->positions = pack(packer, from->positions, 3 * scalars);
    to->radii = pack(packer, from->radii, scalars);
    to->shapes = from->shapes ? pack(packer, from->shapes, segments * 3 * sizeof(float)) : NULL;
    to->frames = pack(packer, from->frames, segments * 4 * sizeof(float));
    to->torn = pack(packer, from->torn, (size_t)from->torn_count * sizeof *from->torn);
    to->edges = from->edges ? pack(packer, from->edges, segments * 2 * sizeof(int)) : NULL;
}

// Bones are only looked at where something is torn.
static void pack_mesh(Packer *packer, const SnSkinMesh *from, bool torn, SnSkinMesh *to) {
    size_t bones = torn ? SN_SKIN_BONES * (size_t)from->vertex_count : 0;
    SnSkinMesh mesh = {.vertex_count = from->vertex_count, .triangle_count = from->triangle_count};
    mesh.triangles =
        pack(packer, from->triangles, (size_t)from->triangle_count * 3 * sizeof(uint32_t));
    mesh.bones = pack(packer, from->bones, bones * sizeof(int));
    mesh.weights = pack(packer, from->weights, bones * sizeof(float));
    if (to)
        *to = mesh;
}

static void pack_skins(Packer *packer, const Moment *from, Moment *to) {
    const SnSkinPoses *skins = &from->skins;
    size_t count = (size_t)skins->skin_count, numbers = (size_t)skins->vertex_count * 3;
    to->skins = *skins;
    to->skins.skins = NULL;
    to->skins.vertex_begin =
        pack(packer, skins->vertex_begin, count ? (count + 1) * sizeof(int) : 0);
    to->skins.positions = pack(packer, skins->positions, numbers * sizeof(float));
    to->skins.normals = pack(packer, skins->normals, numbers * sizeof(float));
    void *meshes = (void *)(uintptr_t)pack(packer, from->skin_meshes, count * sizeof(SnSkinMesh));
    to->skin_meshes = meshes;
    to->skin_bodies = (void *)(uintptr_t)pack(packer, from->skin_bodies, count * sizeof(int));
    for (size_t i = 0; i < count; ++i)
        pack_mesh(packer, &from->skin_meshes[i], from->rods.torn_count > 0,
                  meshes ? &to->skin_meshes[i] : NULL);
}

static void pack_moment(Packer *packer, const Moment *from, Moment *to) {
    pack_rods(packer, &from->rods, &to->rods);
    pack_skins(packer, from, to);
    to->under_skin = (void *)(uintptr_t)pack(packer, from->under_skin,
                                             (size_t)from->rods.body_count * sizeof(bool));
    to->colliders = (void *)(uintptr_t)pack(packer, from->colliders,
                                            (size_t)from->collider_count * sizeof(SnPose));
}

SnResult moment_copy(const Moment *moment, Moment *out_copy) {
    *out_copy = (Moment){.time = moment->time, .collider_count = moment->collider_count};
    Packer packer = {0};
    pack_moment(&packer, moment, out_copy);
    void *memory = malloc(packer.size + 1);
    if (memory == NULL) {
        *out_copy = (Moment){0};
        return sn_error(SN_ERROR_MEMORY, "picture: no memory for a copy of %zu bytes", packer.size);
    }
    packer = (Packer){.at = memory};
    pack_moment(&packer, moment, out_copy);
    out_copy->memory = memory;
    return sn_ok();
}

void moment_release(Moment *moment) {
    if (moment->memory) {
        free(moment->memory);
    } else {
        free(moment->skin_meshes);
        free(moment->skin_bodies);
        free(moment->under_skin);
        free(moment->colliders);
    }
    memset(moment, 0, sizeof *moment);
}
