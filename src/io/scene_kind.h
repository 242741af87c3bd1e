// The kinds of bodies that a scene may have. A kind is a file: the table of its keys, how an entry is
// read, how a body is made of it, and the row of these; and a line in the list below.
#pragma once

#include "io/reader.h"
#include "io/scene_body.h"

struct SceneNames;

// Room for the shape of one body after it was placed, for as many points or elements as any has.
typedef struct SceneScratch {
    SnVec3 *positions, *start_positions;
    SnQuat *frames, *start_frames;
} SceneScratch;

typedef struct SceneKind {
    const char *one, *many; // how messages call it: "rod", "rods"
    size_t size;            // of an entry, which begins with a SceneBody
    KeyTable table;         // of an entry; its base is sn__table_body
    bool keeps_material;    // no animation of the material changes it once it is made
    // Reads what is not in the table: the shape at rest first, then, by sn__read_body, what all
    // bodies can have. Defaults are set and the keys of the table are read when it is called.
    void (*read)(Reader *reader, SnScene *scene, const Json *json, SceneBody *body,
                 const struct SceneNames *names);
    // Makes one copy.
    SnResult (*build)(const SnScene *scene, SnWorld *world, const SceneBody *body, int copy,
                      const SceneScratch *scratch, SnBodyId *out_id);
    // What only the kind knows of an SnSceneBody; the rest is there.
    void (*describe)(const SceneBody *body, SnSceneBody *out);
    // Hands the animated values of its own over to a copy. NULL: it has none.
    SnResult (*animate)(SnWorld *world, const SceneBody *body, SnBodyId id);
    // A part of its own that has animated keys, and the table of these; NULL if `key` is none. NULL: it has none.
    void *(*find_part)(SceneBody *body, const char *key, const KeyTable **out_table);
    // Makes ready for SceneBody.common_rest, after all is read; false if this body cannot have it.
    // NULL: none can.
    bool (*share_rest)(Reader *reader, SceneBody *body);
} SceneKind;

// The list of the file that has the entries of a kind, and its row: one line each, in the order in
// which bodies are made.
#define SCENE_KINDS(KIND)                                                                          \
    KIND("rods", sn__kind_rod)                                                                     \
    KIND("rigid", sn__kind_rigid)                                                                  \
    KIND("solids", sn__kind_solid)                                                                 \
    KIND("muscles", sn__kind_muscle)                                                               \
    KIND("flesh", sn__kind_flesh)

#define SCENE_KIND_DECLARED(key, kind) extern const SceneKind kind;
SCENE_KINDS(SCENE_KIND_DECLARED)

#define SCENE_KIND_COUNTED(key, kind) +1
enum { SCENE_KIND_COUNT = SCENE_KINDS(SCENE_KIND_COUNTED) };

typedef struct SceneList {
    const char *key;
    const SceneKind *kind;
} SceneList;

extern const SceneList sn__scene_lists[SCENE_KIND_COUNT];
