// The public functions of implicit skins.
#include "base/isa.h"
#include "base/null.h"
#include "implicit/implicit.h"

#define IMPLICIT_COOKIE 0x534e494du

SnImplicitDef sn_default_implicit_def(void) {
    return (SnImplicitDef){.cookie = IMPLICIT_COOKIE,
                           .start = SN_BLEND_DUAL_QUATERNIONS,
                           .centres = 50,
                           .rounds = 8,
                           .bulge = 0.1f,
                           .fat = {.frequency = 4.0f, .damping = 0.2f},
                           .thread_count = 1,
                           .isa = SN_ISA_BEST};
}

static SnResult check_def(const SnImplicitDef *def, const char *name) {
    if (def->skeleton == NULL)
        return sn_error(SN_ERROR_INVALID, "%.100s: skeleton is NULL", name);
    if (def->start != SN_BLEND_LINEAR && def->start != SN_BLEND_DUAL_QUATERNIONS)
        return sn_error(SN_ERROR_INVALID, "%.100s: start: %d is no kind of blending", name,
                        (int)def->start);
    if (def->centres < 8 || def->centres > SN_MAX_FIELD_CENTRES)
        return sn_error(SN_ERROR_INVALID, "%.100s: centres: %d is not in [8, %d]", name,
                        def->centres, SN_MAX_FIELD_CENTRES);
    if (def->rounds < 1 || def->rounds > 100)
        return sn_error(SN_ERROR_INVALID, "%.100s: rounds: %d is not in [1, 100]", name,
                        def->rounds);
    if (!(def->bulge >= 0.0f && def->bulge <= 1.0f))
        return sn_error(SN_ERROR_INVALID, "%.100s: bulge: %g is not in [0, 1]", name,
                        (double)def->bulge);
    if (!(def->fat.thickness >= 0.0f && def->fat.thickness <= SN_MAX_POSITION))
        return sn_error(SN_ERROR_INVALID, "%.100s: fat.thickness: %g is not in [0, %g] m", name,
                        (double)def->fat.thickness, (double)SN_MAX_POSITION);
    if (!(def->fat.frequency >= 0.1f && def->fat.frequency <= 1000.0f))
        return sn_error(SN_ERROR_INVALID, "%.100s: fat.frequency: %g is not in [0.1, 1000] Hz",
                        name, (double)def->fat.frequency);
    if (!(def->fat.damping >= 0.0f && def->fat.damping <= 0.95f))
        return sn_error(SN_ERROR_INVALID, "%.100s: fat.damping: %g is not in [0, 0.95]", name,
                        (double)def->fat.damping);
    if (def->muscle_count < 0 || def->muscle_count > SN_MAX_SKIN_MUSCLES ||
        (def->muscle_count > 0 && def->muscles == NULL))
        return sn_error(SN_ERROR_INVALID, "%.100s: muscles: %d are not 0 to %d, or NULL", name,
                        def->muscle_count, SN_MAX_SKIN_MUSCLES);
    for (int i = 0; i < def->muscle_count; ++i)
        if (def->muscles[i] == NULL)
            return sn_error(SN_ERROR_INVALID, "%.100s: muscles: number %d is NULL", name, i);
    if (def->thread_count < 0 || def->thread_count > MAX_WORKERS)
        return sn_error(SN_ERROR_INVALID, "%.100s: thread_count: %d is not in [0, %d]", name,
                        def->thread_count, MAX_WORKERS);
    if (def->isa < SN_ISA_BEST || def->isa > SN_ISA_AVX512 || !sn_isa_available(def->isa))
        return sn_error(SN_ERROR_INVALID, "%.100s: isa: %s is not available here", name,
                        sn_isa_name(def->isa));
    return sn_ok();
}

// What is shown before the first frame.
static void copy_meshes(SnImplicit *skin) {
    for (int i = 0, rigid = skin->vertex_count; i < skin->mesh_count; ++i) {
        SnSkeletonMesh mesh = sn_skeleton_mesh(skin->skeleton, i);
        BoundMesh *bound = &skin->meshes[i];
        bound->at = bound->first >= 0 ? bound->first : rigid;
        rigid += bound->first >= 0 ? 0 : mesh.vertex_count;
        for (int v = 0; v < mesh.vertex_count; ++v) {
            skin->positions[bound->at + v] = mesh.positions[v];
            skin->normals[bound->at + v] = mesh.normals[v];
        }
    }
}

static SnResult fill(SnImplicit *skin, const char *name) {
    SnResult result = sn__implicit_bind(skin, name);
    if (result.code != SN_OK)
        return result;
    size_t points = (size_t)skin->surface.point_count;
    size_t all = (size_t)(skin->vertex_count + skin->rigid_count);
    int *part = sn__alloc_array(&skin->allocator, points, sizeof *part);
    skin->positions = sn__alloc_array(&skin->allocator, all, sizeof(SnVec3));
    skin->normals = sn__alloc_array(&skin->allocator, all, sizeof(SnVec3));
    skin->blended = sn__alloc_array(&skin->allocator, all, sizeof(SnVec3));
    result = part && skin->positions && skin->normals && skin->blended
                 ? sn__implicit_find_parts(skin, part)
                 : sn_error(SN_ERROR_MEMORY, "%.100s: no memory for %zu vertices", name, all);
    if (result.code == SN_OK)
        result = sn__implicit_fit(skin, part);
    if (result.code == SN_OK)
        result = sn__implicit_pack(skin, part);
    if (result.code == SN_OK && !sn__implicit_make_fat(skin))
        result = sn_error(SN_ERROR_MEMORY, "%.100s: no memory for its fat", name);
    if (result.code == SN_OK)
        copy_meshes(skin);
    sn__free(&skin->allocator, part, points * sizeof *part);
    return result;
}

SnResult sn_implicit_create(const SnImplicitDef *def, const SnAllocator *allocator,
                            SnImplicit **out_skin) {
    if (out_skin == NULL)
        return sn__null("implicit: out_skin");
    *out_skin = NULL;
    if (def == NULL || def->cookie != IMPLICIT_COOKIE)
        return sn__no_def(def, "implicit", "sn_default_implicit_def");
    const char *name = def->name ? def->name : "implicit skin";
    SnResult result = check_def(def, name);
    if (result.code != SN_OK)
        return result;
    SnAllocator own = allocator ? *allocator : sn__default_allocator();
    SnImplicit *skin = sn__alloc(&own, sizeof *skin);
    if (skin == NULL)
        return sn_error(SN_ERROR_MEMORY, "%.100s: no memory", name);
    *skin = (SnImplicit){.allocator = own,
                         .tasks = def->tasks,
                         .skeleton = def->skeleton,
                         .start = def->start,
                         .centres = def->centres,
                         .rounds = def->rounds,
                         .bulge = def->bulge,
                         .fat = def->fat};
    skin->kernels = sn__field_kernels(def->isa == SN_ISA_BEST ? sn__isa_best() : def->isa);
    if (def->tasks.parallel_for == NULL)
        result = sn__pool_create(&own, def->thread_count, &skin->pool);
    if (skin->pool)
        skin->tasks = sn__pool_tasks(skin->pool);
    if (result.code == SN_OK && !sn__implicit_take_muscles(skin, def->muscles, def->muscle_count))
        result =
            sn_error(SN_ERROR_MEMORY, "%.100s: no memory for %d muscles", name, def->muscle_count);
    if (result.code == SN_OK)
        result = fill(skin, name);
    if (result.code == SN_OK)
        *out_skin = skin;
    else
        sn_implicit_destroy(skin);
    return result;
}

static void release_points(SnImplicit *s) {
    const SnAllocator *a = &s->allocator;
    size_t slots = (size_t)s->pack_room * FIELD_LANES, parts = (size_t)s->part_count;
    sn__free(a, s->packs, (size_t)s->pack_room * sizeof *s->packs);
    sn__free(a, s->slots, (size_t)s->surface.point_count * sizeof(int));
    sn__free(a, s->points, slots * sizeof *s->points);
    sn__crossings_destroy(s);
    sn__implicit_free_fat(s);
    sn__implicit_free_rings(s);
    sn__free(a, s->shells, (size_t)s->surface.point_count * sizeof(int));
    sn__free(a, s->ring_begin, ((size_t)s->pack_room + 1) * sizeof(int));
    sn__free(a, s->fan_begin, ((size_t)s->pack_room + 1) * sizeof(int));
    sn__free(a, s->turns, slots * sizeof(SnQuat));
    sn__free(a, s->scales, slots * sizeof(float));
    sn__free(a, s->edges, slots * sizeof(float));
    SkinPlace *const places[] = {s->geometric, s->places[0], s->places[1],
                                 s->shown[0],  s->shown[1],  s->normal};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i)
        sn__free(a, places[i], slots * sizeof(SkinPlace));
    sn__free(a, s->added, slots * sizeof(SnVec3));
    sn__free(a, s->rest_normal, slots * sizeof(SnVec3));
    sn__free(a, s->fields, parts * sizeof *s->fields);
    sn__free(a, s->boxes, parts * sizeof *s->boxes);
    sn__free(a, s->others, parts * PART_OTHERS * sizeof(int));
    sn__free(a, s->bends, parts * PART_OTHERS * sizeof *s->bends);
}

void sn_implicit_destroy(SnImplicit *s) {
    if (s == NULL)
        return;
    SnAllocator a = s->allocator;
    size_t joints = (size_t)s->joint_room, all = (size_t)(s->vertex_count + s->rigid_count);
    release_points(s);
    sn__implicit_free_muscles(s);
    for (int i = 0; i < s->part_count && s->parts; ++i)
        sn__field_grid_destroy(&s->parts[i].grid);
    sn__free(&a, s->parts, (size_t)s->joint_count * sizeof *s->parts);
    sn__bvh_destroy(&s->tree);
    sn__skin_surface_destroy(&s->surface);
    sn__free(&a, s->meshes, (size_t)s->mesh_count * sizeof *s->meshes);
    sn__free(&a, s->rest, (size_t)s->vertex_room * sizeof(SnVec3));
    sn__free(&a, s->rest_normals, (size_t)s->vertex_room * sizeof(SnVec3));
    sn__free(&a, s->triangles, 3 * (size_t)s->triangle_room * sizeof(uint32_t));
    sn__free(&a, s->joints, joints * sizeof *s->joints);
    sn__free(&a, s->joint_numbers, joints * sizeof(int));
    sn__free(&a, s->positions, all * sizeof(SnVec3));
    sn__free(&a, s->normals, all * sizeof(SnVec3));
    sn__free(&a, s->blended, all * sizeof(SnVec3));
    sn__pool_destroy(s->pool);
    sn__free(&a, s, sizeof *s);
}

void sn_implicit_reset(SnImplicit *skin) {
    if (GIVEN(skin))
        skin->has_added = false;
}

SnImplicitMesh sn_implicit_mesh(const SnImplicit *skin, int mesh) {
    if (!GIVEN(skin) || mesh < 0 || mesh >= skin->mesh_count)
        return (SnImplicitMesh){0};
    const BoundMesh *bound = &skin->meshes[mesh];
    return (SnImplicitMesh){bound->vertex_count, skin->positions + bound->at,
                            skin->normals + bound->at,
                            bound->first >= 0 ? skin->blended + bound->at : NULL};
}

SnImplicitInfo sn_implicit_info(const SnImplicit *skin) {
    if (!GIVEN(skin))
        return (SnImplicitInfo){0};
    return (SnImplicitInfo){.part_count = skin->part_count,
                            .point_count = skin->surface.point_count,
                            .tracked = skin->tracked,
                            .fit = skin->fit,
                            .height = skin->height,
                            .touching = skin->touching,
                            .lost = skin->lost,
                            .away = skin->away};
}

int sn_implicit_part_joint(const SnImplicit *skin, int part) {
    if (!GIVEN(skin) || part < 0 || part >= skin->part_count)
        return 0;
    return skin->joints[skin->parts[part].joint].joint;
}

int sn_implicit_muscle_joint(const SnImplicit *skin, int muscle) {
    if (!GIVEN(skin) || muscle < 0 || muscle >= skin->muscle_count)
        return -1;
    return sn_implicit_part_joint(skin, skin->field_muscles[muscle].part);
}
