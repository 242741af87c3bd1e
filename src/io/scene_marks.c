#include "io/scene_marks.h"

#include <sinew/skin.h>

#include <math.h>
#include <string.h>

static const KeyField mark_keys[] = {
    {"position", KEY_VEC3, FIELD(SceneMark, def.position), RANGE_ANY, false, false},
    BY_HAND("vertex"),
    {"direction", KEY_VEC3, FIELD(SceneMark, def.direction), RANGE_ANY, false, false},
    {"stiffness", KEY_FLOAT, FIELD(SceneMark, def.stiffness), {0, 1e15, true}, false, false},
};
const KeyTable sn__table_mark = {"mark", mark_keys, KEY_COUNT(mark_keys), NULL};

// A vertex of the mesh that the body was made from, with what it follows.
static bool read_vertex(Reader *reader, const Json *json, const SceneFlesh *flesh,
                        SnSolidMark *out) {
    int vertex;
    if (flesh == NULL) {
        sn__reader_error(reader, json, "this solid has no mesh; use \"position\"");
        return false;
    }
    const Range range = {0, flesh->vertex_count - 1, false};
    if (!sn__read_int(reader, json, range, &vertex))
        return false;
    out->position = flesh->positions[vertex];
    memcpy(out->particles, &flesh->bones[SN_SKIN_BONES * (size_t)vertex], sizeof out->particles);
    memcpy(out->weights, &flesh->weights[SN_SKIN_BONES * (size_t)vertex], sizeof out->weights);
    return true;
}

static void read_mark(Reader *reader, const Json *json, const SceneFlesh *flesh, SceneMark *out) {
    out->def = sn_default_solid_mark();
    if (!sn__read_object(reader, json, &sn__table_mark, out))
        return;
    const Json *position = sn__json_member(&reader->doc, json, "position");
    const Json *vertex = sn__json_member(&reader->doc, json, "vertex");
    SnVec3 d = out->def.direction;
    if ((position != NULL) == (vertex != NULL))
        sn__reader_error(reader, json, "needs either a \"position\" or a \"vertex\" of its mesh");
    else if (vertex)
        read_vertex(reader, vertex, flesh, &out->def);
    if (!(fabsf(d.x) + fabsf(d.y) + fabsf(d.z) > 1e-6f))
        sn__reader_error(reader, json, "its direction has no length");
}

SceneMark *sn__read_marks(Reader *reader, const Json *list, SceneBody *body) {
    int count;
    const Json **items = sn__read_list(reader, list, &count);
    if (items && count > SN_MAX_SOLID_MARKS) {
        sn__reader_error(reader, list, "%d marks are more than %d", count, SN_MAX_SOLID_MARKS);
        return NULL;
    }
    SceneMark *marks = items ? sn__reader_alloc(reader, (size_t)count, sizeof *marks) : NULL;
    for (int i = 0; i < count && marks && body->point_count > 0; ++i)
        read_mark(reader, items[i], body->flesh, &marks[i]);
    body->mark_count = marks ? count : 0;
    return marks;
}
