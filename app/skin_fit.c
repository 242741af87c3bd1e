#include "app/skin_fit.h"

#include "view/box.h"

#include <stdio.h>

// Meshes may be fuller than their bodies, or cover a part of them.
#define MOST_FACTOR 5.0f
#define MOST_GAP 0.5f // of the larger of the two, from box to box

static float gap_along(float low, float high, float other_low, float other_high) {
    return fmaxf(fmaxf(other_low - high, low - other_high), 0.0f);
}

static float gap_between(const ViewBox *a, const ViewBox *b) {
    return sn_vec3_length(sn_vec3(gap_along(a->low.x, a->high.x, b->low.x, b->high.x),
                                  gap_along(a->low.y, a->high.y, b->low.y, b->high.y),
                                  gap_along(a->low.z, a->high.z, b->low.z, b->high.z)));
}

// The points of a skin's bodies, and its frames, at rest.
static ViewBox bone_box(const SnSkinMesh *mesh) {
    ViewBox box = view_box_empty();
    for (int i = 0; i < mesh->bone_count; ++i)
        view_box_add(&box, mesh->rest_bones[i], 0.0f);
    return box;
}

bool skin_is_off(const SnScene *scene, const SnWorld *world, int skin, char *out_line,
                 size_t size) {
    SnSceneSkin entry = sn_scene_skin(scene, skin);
    SnSkinMesh mesh;
    if (sn_skin_mesh(world, entry.id, &mesh).code != SN_OK || mesh.bone_count < 2)
        return false;
    ViewBox own = view_box_empty(), bodies = bone_box(&mesh);
    for (int i = 0; i < mesh.vertex_count; ++i)
        view_box_add(&own, mesh.rest_positions[i], 0.0f);
    float length = 2.0f * view_box_radius(&own), wanted = 2.0f * view_box_radius(&bodies);
    if (!(length > 0.0f && wanted > 0.0f))
        return false;
    float factor = length / wanted;
    if (factor > MOST_FACTOR || factor < 1.0f / MOST_FACTOR) {
        snprintf(
            out_line, size,
            "skin %d (%s): its mesh is %.3g m across and the bodies that it is bound to %.3g m, "
            "a factor of %.3g; a mesh in millimetres needs \"scale\": 0.001",
            skin, entry.name, (double)length, (double)wanted, (double)factor);
        return true;
    }
    float gap = gap_between(&own, &bodies);
    if (!(gap > MOST_GAP * fmaxf(length, wanted)))
        return false;
    SnVec3 move = sn_vec3_sub(view_box_middle(&bodies), view_box_middle(&own));
    snprintf(out_line, size,
             "skin %d (%s): its mesh lies %.3g m away from the bodies that it is bound to; "
             "\"position\": [%.3g, %.3g, %.3g] more would bring it there",
             skin, entry.name, (double)gap, (double)move.x, (double)move.y, (double)move.z);
    return true;
}
