#include "bench/strands.h"

#include <math.h>
#include <stdlib.h>

#define SEGMENT_LENGTH (1.0 / 30.0)
#define RADIUS 0.005f
#define SPACING 0.05f // between neighbours
#define COIL_RADIUS 1.0
#define COIL_PITCH 0.05 // m per turn

static SnVec3 coil_point(double along) {
    const double turn = 2.0 * 3.14159265358979 * COIL_RADIUS;
    double angle = along / COIL_RADIUS;
    return sn_vec3((float)(COIL_RADIUS * cos(angle)), (float)(COIL_RADIUS * sin(angle)),
                   (float)(COIL_PITCH * along / turn));
}

static void fill_shape(const StrandsDef *def, SnVec3 *positions) {
    for (int i = 0; i <= def->segments; ++i) {
        double along = i * SEGMENT_LENGTH;
        if (def->coiled)
            positions[i] = coil_point(along);
        else if (def->hanging)
            positions[i] = sn_vec3(0.0f, -(float)along, 0.0f);
        else
            positions[i] = sn_vec3((float)along, 0.0f, 0.0f);
    }
}

static SnResult hold(SnWorld *world, SnBodyId rod) {
    const SnAttachmentKind kinds[] = {SN_ATTACH_VERTEX, SN_ATTACH_SEGMENT};
    SnResult result = sn_ok();
    for (int i = 0; i < 2 && result.code == SN_OK; ++i) {
        SnAttachmentDef def = sn_default_attachment_def();
        SnAttachmentId id;
        def.kind = kinds[i];
        def.body = rod;
        result = sn_attachment_create(world, &def, &id);
    }
    return result;
}

static SnResult add_strands(const StrandsDef *def, const SnVec3 *positions, SnWorld *world) {
    SnRodDef rod = sn_default_rod_def();
    rod.filter.mask = 0; // the cost of rods alone
    rod.vertex_count = def->segments + 1;
    rod.positions = positions;
    rod.radius = RADIUS;
    rod.classic = def->classic;
    rod.solver = def->direct ? SN_SOLVER_DIRECT : SN_SOLVER_SWEEP;
    rod.material.young = def->young > 0.0f ? def->young : rod.material.young;
    rod.material.drag = def->drag;
    rod.material.volume_bend = rod.material.volume;
    int columns = (int)ceil(sqrt(def->strands));
    for (int i = 0; i < def->strands; ++i) {
        rod.origin[1] = (double)(SPACING * (float)(i / columns));
        rod.origin[2] = (double)(SPACING * (float)(i % columns));
        SnBodyId id;
        SnResult result = sn_rod_create(world, &rod, &id);
        if (result.code == SN_OK)
            result = hold(world, id);
        if (result.code != SN_OK)
            return result;
    }
    return sn_ok();
}

SnResult strands_create(const StrandsDef *def, SnWorld **out_world) {
    SnWorldDef world_def = sn_default_world_def();
    world_def.thread_count = def->threads;
    world_def.isa = def->isa;
    SnVec3 *positions = malloc(((size_t)def->segments + 1) * sizeof *positions);
    if (positions == NULL)
        return sn_error(SN_ERROR_MEMORY, "strands: no memory for %d segments", def->segments);
    fill_shape(def, positions);
    SnWorld *world = NULL;
    SnResult result = sn_world_create(&world_def, &world);
    if (result.code == SN_OK)
        result = add_strands(def, positions, world);
    free(positions);
    if (result.code != SN_OK) {
        sn_world_destroy(world);
        world = NULL;
    }
    *out_world = world;
    return result;
}
