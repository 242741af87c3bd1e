// Pictures of a conversion: the mesh, its field, the slices, the rods; of a bone, the mesh and its pills.
#include "app/limb.h"
#include "app/limb_panels.h"

#include "view/context.h"
#include "view/png.h"

#include <stdlib.h>

#define WIDTH 640
#define HEIGHT 360
#define ASPECT ((float)WIDTH / HEIGHT)

// Four pictures: those of a bone are two, and two that stay empty.
static SnResult draw_part(ViewRenderer *renderer, const LimbPart *part, ViewImage images[4],
                          int *out_count) {
    const SnViper *m = &part->muscle;
    const SnMesh *mesh = &part->from.mesh;
    LimbPanels panels;
    SnResult result =
        part->is_bone
            ? limb_panels_begin(renderer, ASPECT, mesh->positions, mesh->vertex_count, &panels)
            : limb_panels_begin(renderer, ASPECT, m->mesh_positions, m->vertex_count, &panels);
    *out_count = part->is_bone ? 2 : 4;
    if (result.code == SN_OK && part->is_bone) {
        result = limb_draw_mesh(&panels, mesh->triangles, mesh->triangle_count,
                                limb_look(0.9f, 0.86f, 0.76f), &images[0]);
        if (result.code == SN_OK)
            result = limb_draw_pills(&panels, &part->bone, &images[1]);
    } else if (result.code == SN_OK) {
        result = limb_draw_mesh(&panels, m->mesh_triangles, m->triangle_count,
                                limb_look(0.72f, 0.3f, 0.25f), &images[0]);
        if (result.code == SN_OK)
            result = limb_draw_field(&panels, m, &images[1]);
        if (result.code == SN_OK)
            result = limb_draw_slices(&panels, m, &images[2]);
        if (result.code == SN_OK)
            result = limb_draw_rods(&panels, m, &images[3]);
    }
    limb_panels_end(&panels);
    return result;
}

static SnResult draw_parts(const Limb *limb, ViewRenderer *renderer, ViewImage *images,
                           const char **captions, int *out_count) {
    static const char *const names[4] = {"mesh", "field", "slices", "rods"};
    SnResult result = sn_ok();
    for (int i = 0; i < limb->count && result.code == SN_OK; ++i) {
        int count = 0;
        result = draw_part(renderer, &limb->parts[i], images + *out_count, &count);
        for (int k = 0; k < count; ++k)
            captions[*out_count + k] = limb->parts[i].is_bone && k == 1 ? "pills" : names[k];
        if (count > 0 && limb->count > 1)
            captions[*out_count] = limb->parts[i].name;
        *out_count += count;
    }
    return result;
}

SnResult limb_write_picture(const Limb *limb, const char *path) {
    ViewContext *context = NULL;
    ViewRenderer *renderer = NULL;
    ViewImage *images = calloc((size_t)limb->count * 4, sizeof *images), sheet = {0};
    const char **captions = calloc((size_t)limb->count * 4, sizeof *captions);
    int count = 0;
    SnResult result = images && captions ? view_context_create(&context)
                                         : sn_error(SN_ERROR_MEMORY, "%s: no memory", path);
    if (result.code == SN_OK)
        result = view_renderer_create(WIDTH, HEIGHT, &renderer);
    if (result.code == SN_OK)
        result = draw_parts(limb, renderer, images, captions, &count);
    if (result.code == SN_OK)
        result = view_image_grid(images, captions, count, 2, &sheet);
    if (result.code == SN_OK)
        result = view_png_write(path, &sheet);
    for (int i = 0; images && i < 4 * limb->count; ++i)
        view_image_release(&images[i]);
    view_image_release(&sheet);
    if (renderer)
        view_renderer_destroy(renderer);
    if (context)
        view_context_destroy(context);
    free(images);
    free(captions);
    return result;
}
