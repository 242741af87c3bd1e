// Pictures of the stages of a conversion, one panel each: all of one part are seen from the same place.
#pragma once

#include "view/renderer.h"

#include <sinew/fit.h>

// A part turned so that it is seen from its broad side: its longest axis across the picture.
typedef struct LimbTurn {
    SnVec3 axes[3], centre;
    float scale;
} LimbTurn;

typedef struct LimbPanels {
    ViewRenderer *renderer; // lent
    float aspect;           // of its pictures, width over height
    LimbTurn turn;
    ViewBounds bounds;
    float *positions; // of the mesh, turned
    int vertex_count;
} LimbPanels;

// Takes the view from the vertices of the part's mesh. Fine to end after a failure, too.
SnResult limb_panels_begin(ViewRenderer *renderer, float aspect, const SnVec3 *points, int count,
                           LimbPanels *out_panels);
void limb_panels_end(LimbPanels *panels);

ViewLook limb_look(float red, float green, float blue); // of flesh and bone

SnResult limb_draw_mesh(LimbPanels *panels, const uint32_t *triangles, int triangle_count,
                        ViewLook look, ViewImage *out_image);
SnResult limb_draw_pills(LimbPanels *panels, const SnBonePills *bone, ViewImage *out_image);

// Of a muscle, whose mended mesh the panels were begun with: the mesh with its source and sink, the field in bands
// of one colour each, the slices as dots, the points of the rods on them as spheres, the rods through
// these as lines, and the fitted pills.
SnResult limb_draw_ends(LimbPanels *panels, const SnViper *muscle, ViewImage *out_image);
SnResult limb_draw_field(LimbPanels *panels, const SnViper *muscle, ViewImage *out_image);
SnResult limb_draw_slices(LimbPanels *panels, const SnViper *muscle, ViewImage *out_image);
SnResult limb_draw_samples(LimbPanels *panels, const SnViper *muscle, ViewImage *out_image);
SnResult limb_draw_combed(LimbPanels *panels, const SnViper *muscle, ViewImage *out_image);
SnResult limb_draw_rods(LimbPanels *panels, const SnViper *muscle, ViewImage *out_image);
// Of the mesh what is nearer to the source than slice `slice`, and of the rods what is beyond.
SnResult limb_draw_cut(LimbPanels *panels, const SnViper *muscle, int slice, ViewImage *out_image);
