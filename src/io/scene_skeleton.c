// One entry of "skeleton": where it comes from, what plays, and its joints as frames.
#include "io/scene_skeleton.h"

#include "base/memory.h"
#include "base/null.h"
#include "io/tables.h"
#include "math/map.h"

#include <sinew/character_model.h>
#include <sinew/skeleton_file.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Complains that there is no joint or clip of a name, suggesting those there are.
static int find_name(Reader *reader, const SnSkeleton *skeleton, const Json *value, bool joints) {
    const char *what = joints ? "joint" : "clip";
    if (!sn__read_kind(reader, value, JSON_STRING,
                       joints ? "the name of a joint" : "the name of a clip"))
        return -1;
    const char *word = sn__json_string(&reader->doc, value);
    int found =
        joints ? sn_skeleton_find_joint(skeleton, word) : sn_skeleton_find_clip(skeleton, word);
    if (found >= 0)
        return found;
    int count = joints ? sn_skeleton_joint_count(skeleton) : sn_skeleton_clip_count(skeleton);
    const char **names = sn__reader_alloc(reader, (size_t)count, sizeof *names);
    for (int i = 0; i < count && names; ++i)
        names[i] =
            joints ? sn_skeleton_joint(skeleton, i).name : sn_skeleton_clip(skeleton, i).name;
    if (names)
        sn__reader_unknown(reader, value, what, word, names, count);
    return -1;
}

int sn__read_joint(Reader *reader, const SnSkeleton *skeleton, const Json *value) {
    return find_name(reader, skeleton, value, true);
}

int sn__read_clip(Reader *reader, const SnSkeleton *skeleton, const Json *value) {
    int clip = find_name(reader, skeleton, value, false);
    if (clip >= 0 && sn_skeleton_clip(skeleton, clip).channel_count == 0) {
        sn__reader_error(reader, value, "this clip moves no joint; morph targets are not read");
        return -1;
    }
    return clip;
}

SnMap sn__skeleton_place(const SceneSkeleton *entry) {
    double s = (double)entry->scale;
    Quatd q = quatd(entry->rotation);
    Map map = {{rotated(q, (Vec3d){s, 0, 0}), rotated(q, (Vec3d){0, s, 0}),
                rotated(q, (Vec3d){0, 0, s}), vec3d(entry->position)}};
    return map_narrow(&map);
}

// The file is opened now: names of its joints and clips are what the rest of the scene refers to.
static void load_file(Reader *reader, SnScene *scene, const Json *json, SceneSkeleton *entry) {
    entry->path = sn__scene_path(scene, entry->file);
    if (entry->path == NULL) {
        reader->out_of_memory = true;
        return;
    }
    SnResult result = sn_skeleton_load_file(entry->path, NULL, &entry->skeleton);
    if (result.code != SN_OK)
        sn__reader_error(reader, sn__json_member(&reader->doc, json, "file"), "%s", result.message);
}

static void make_model(Reader *reader, const Json *json, SceneSkeleton *entry) {
    const Json *value = sn__json_member(&reader->doc, json, "model");
    const char *names[SN_CHARACTER_COUNT];
    for (int i = 0; i < SN_CHARACTER_COUNT; ++i) {
        names[i] = sn_character_name((SnCharacter)i);
        if (strcmp(names[i], entry->model) == 0) {
            SnResult result = sn_character_skeleton((SnCharacter)i, NULL, &entry->skeleton);
            reader->out_of_memory |= result.code == SN_ERROR_MEMORY;
            return;
        }
    }
    sn__reader_unknown(reader, value, "model", entry->model, names, SN_CHARACTER_COUNT);
}

static void read_source(Reader *reader, SnScene *scene, const Json *json, SceneSkeleton *entry) {
    const Json *joints = sn__json_member(&reader->doc, json, "joints");
    const Json *clips = sn__json_member(&reader->doc, json, "clips");
    bool made = entry->file[0] || entry->model[0];
    if (made && (joints || clips))
        sn__reader_error(reader, joints ? joints : clips, "does not go with \"%s\"",
                         entry->file[0] ? "file" : "model");
    else if (entry->file[0] && entry->model[0])
        sn__reader_error(reader, sn__json_member(&reader->doc, json, "model"),
                         "does not go with \"file\"");
    else if (entry->file[0])
        load_file(reader, scene, json, entry);
    else if (entry->model[0])
        make_model(reader, json, entry);
    else if (joints)
        entry->skeleton = sn__read_inline_skeleton(reader, json);
    else
        sn__reader_error(reader, json, "needs one of: file, model, joints");
}

static void read_cue(Reader *reader, const Json *json, const SceneSkeleton *entry, SnCue *cue) {
    CueEntry own = {.speed = 1, .loop = true};
    *cue = sn_default_cue();
    if (!sn__read_object(reader, json, &sn__table_cue, &own))
        return;
    const Json *clip = sn__json_member(&reader->doc, json, "clip");
    if (clip)
        cue->clip = sn__read_clip(reader, entry->skeleton, clip);
    cue->start = own.time;
    cue->offset = own.offset;
    cue->speed = own.speed;
    cue->fade = own.fade;
    cue->loop = own.loop;
}

static void read_play(Reader *reader, const Json *json, const Json *play, SceneSkeleton *entry) {
    static const char *const others[] = {"clip", "speed", "loop", "offset"};
    for (int i = 0; i < 4; ++i) {
        const Json *other = sn__json_member(&reader->doc, json, others[i]);
        if (other)
            sn__reader_error(reader, other, "does not go with \"play\"");
    }
    int count;
    const Json **items = sn__read_list(reader, play, &count);
    entry->cues = sn__reader_alloc(reader, (size_t)count, sizeof *entry->cues);
    for (int i = 0; i < count && entry->cues; ++i) {
        read_cue(reader, items[i], entry, &entry->cues[i]);
        if (i > 0 && entry->cues[i].start < entry->cues[i - 1].start)
            sn__reader_error(reader, items[i], "%g s is before the entry before, %g s",
                             entry->cues[i].start, entry->cues[i - 1].start);
        entry->cue_count = i + 1;
    }
}

static void read_cues(Reader *reader, const Json *json, SceneSkeleton *entry) {
    const Json *play = sn__json_member(&reader->doc, json, "play");
    const Json *clip = sn__json_member(&reader->doc, json, "clip");
    if (play) {
        read_play(reader, json, play, entry);
        return;
    }
    entry->cues = sn__reader_alloc(reader, 1, sizeof *entry->cues);
    if (clip == NULL || entry->cues == NULL)
        return;
    entry->cues[0] = (SnCue){.clip = sn__read_clip(reader, entry->skeleton, clip),
                             .offset = entry->offset,
                             .speed = entry->speed,
                             .loop = entry->loop};
    entry->cue_count = 1;
}

// Joints in the world, at rest or as they are when the scene starts.
static SnMap *find_maps(Reader *reader, const SceneSkeleton *entry, bool rest) {
    size_t count = (size_t)sn_skeleton_joint_count(entry->skeleton);
    SnTransform *locals = sn__reader_alloc(reader, count, sizeof *locals);
    SnMap *maps = sn__reader_alloc(reader, count, sizeof *maps);
    if (locals == NULL || maps == NULL)
        return NULL;
    SnMap place = sn__skeleton_place(entry);
    sn_skeleton_play(entry->skeleton, entry->cues, rest ? 0 : entry->cue_count, 0, locals);
    sn_skeleton_maps(entry->skeleton, locals, &place, maps);
    return maps;
}

static void read_fat(Reader *reader, const Json *json, SceneSkeleton *entry) {
    const Json *fat = sn__json_member(&reader->doc, json, "fat");
    entry->fat = sn_default_implicit_def().fat;
    if (fat)
        sn__read_object(reader, fat, &sn__table_fat, &entry->fat);
    if (fat && !entry->implicit)
        sn__reader_error(reader, fat, "lies under an implicit skin, which the skeleton has not");
}

static void read_entry(Reader *reader, SnScene *scene, const Json *json,
                       const Categories *categories, SceneSkeleton *entry) {
    const SnColour plain = {0.75f, 0.7f, 0.6f};
    entry->name = entry->file = entry->model = "";
    entry->scale = 1;
    entry->rotation = sn_quat_identity();
    entry->speed = 1;
    entry->loop = entry->mesh = true;
    bool good = sn__read_object(reader, json, &sn__table_skeleton, entry);
    if (json->kind != JSON_OBJECT)
        return;
    SnColliderDef collider = sn_default_collider_def();
    entry->surface = collider.surface;
    entry->filter = collider.filter;
    sn__read_contact(reader, json, categories, &entry->surface, &entry->filter);
    const Json *colour = sn__json_member(&reader->doc, json, "colour");
    if (colour)
        sn__read_colours(reader, colour, &entry->colours);
    sn__default_colour(reader, &entry->colours, plain);
    if (good)
        read_source(reader, scene, json, entry);
    if (entry->skeleton == NULL)
        return;
    read_cues(reader, json, entry);
    SnMap *rest = find_maps(reader, entry, true);
    if (rest && entry->cues)
        sn__read_bones(reader, json, rest, entry);
    if (entry->implicit && sn_skeleton_mesh_count(entry->skeleton) == 0)
        sn__reader_error(reader, sn__json_member(&reader->doc, json, "implicit"),
                         "the skeleton has no mesh that could be a skin");
    read_fat(reader, json, entry);
    bool seen = entry->mesh && sn_skeleton_mesh_count(entry->skeleton) > 0;
    if (sn__json_member(&reader->doc, json, "visible") == NULL)
        entry->visible = !seen;
}

void sn__read_skeletons(Reader *reader, SnScene *scene, const Json *json,
                        const Categories *categories) {
    if (json == NULL)
        return;
    bool list = json->kind == JSON_ARRAY;
    size_t count = list ? json->count : 1;
    scene->skeletons = sn__reader_alloc(reader, count, sizeof *scene->skeletons);
    const Json *item = list ? sn__json_first(json) : json;
    for (size_t i = 0; i < count && !reader->out_of_memory; ++i) {
        scene->skeleton_count = (int)i + 1;
        read_entry(reader, scene, item, categories, &scene->skeletons[i]);
        item = list ? sn__json_next(&reader->doc, item) : NULL;
    }
}

int sn__scene_joint_count(const SnScene *scene) {
    int count = 0;
    for (int i = 0; i < scene->skeleton_count; ++i)
        if (scene->skeletons[i].skeleton)
            count += sn_skeleton_joint_count(scene->skeletons[i].skeleton);
    return count;
}

// "JOINT", or "SKELETON/JOINT" if the skeleton has a name.
const char *sn__joint_name(Reader *reader, const SceneSkeleton *entry, int joint) {
    char text[512];
    int length =
        snprintf(text, sizeof text, "%.200s%s%.200s", entry->name, entry->name[0] ? "/" : "",
                 sn_skeleton_joint(entry->skeleton, joint).name);
    char *name = sn__arena_text(reader->arena, text, (size_t)length);
    reader->out_of_memory |= name == NULL;
    return name ? name : "";
}

void sn__add_joint_frames(Reader *reader, SnScene *scene, NameTable *names) {
    for (int s = 0; s < scene->skeleton_count; ++s) {
        SceneSkeleton *entry = &scene->skeletons[s];
        SnMap *maps = entry->skeleton && entry->cues ? find_maps(reader, entry, false) : NULL;
        entry->first_frame = scene->frame_count;
        int count = maps ? sn_skeleton_joint_count(entry->skeleton) : 0;
        for (int i = 0; i < count && !reader->out_of_memory; ++i) {
            SnPose pose = sn_map_pose(&maps[i]);
            scene->frames[scene->frame_count] =
                (SceneFrame){.name = sn__joint_name(reader, entry, i),
                             .position = pose.position,
                             .rotation = pose.rotation};
            sn__names_add(names, scene->frames[scene->frame_count].name, scene->frame_count);
            ++scene->frame_count;
        }
    }
}

SnResult sn__scene_create_rigs(SnScene *scene, SnWorld *world) {
    SnAllocator allocator = sn__default_allocator(); // rigs outlive the world
    SnResult result = sn_ok();
    for (int s = 0; s < scene->skeleton_count && result.code == SN_OK; ++s) {
        SceneSkeleton *entry = &scene->skeletons[s];
        SnRigDef def = sn_default_rig_def();
        def.allocator = &allocator;
        def.skeleton = entry->skeleton;
        def.scale = entry->scale;
        def.pose = (SnPose){entry->position, entry->rotation};
        def.cues = entry->cues;
        def.cue_count = entry->cue_count;
        def.own_bones = true; // they are colliders of the scene
        sn_rig_destroy(entry->rig);
        result = sn__scene_at(scene, "skeleton", s, sn_rig_create(world, &def, &entry->rig));
        int joints = result.code == SN_OK ? sn_skeleton_joint_count(entry->skeleton) : 0;
        for (int i = 0; i < joints; ++i)
            scene->frames[entry->first_frame + i].id = sn_rig_frame(entry->rig, i);
    }
    return result;
}

SnResult sn__scene_move_rigs(SnScene *scene, SnWorld *world, double time, double step) {
    SnResult result = sn_ok();
    for (int s = 0; s < scene->skeleton_count && result.code == SN_OK; ++s)
        result = sn__scene_at(scene, "skeleton", s,
                              sn_rig_move(scene->skeletons[s].rig, world, time, step));
    return result;
}

void sn__scene_free_skeletons(SnScene *scene) {
    for (int s = 0; s < scene->skeleton_count && scene->skeletons; ++s) {
        sn_rig_destroy(scene->skeletons[s].rig);
        sn_skeleton_destroy(scene->skeletons[s].skeleton);
    }
}

int sn_scene_skeleton_count(const SnScene *scene) {
    return GIVEN(scene) ? scene->skeleton_count : 0;
}

SnSceneSkeleton sn_scene_skeleton(const SnScene *scene, int skeleton) {
    if (!GIVEN(scene) || skeleton < 0 || skeleton >= scene->skeleton_count)
        return (SnSceneSkeleton){.name = ""};
    const SceneSkeleton *entry = &scene->skeletons[skeleton];
    return (SnSceneSkeleton){.name = entry->name,
                             .path = entry->path,
                             .skeleton = entry->skeleton,
                             .rig = entry->rig,
                             .place = sn__skeleton_place(entry),
                             .cue_count = entry->cue_count,
                             .cues = entry->cues,
                             .shows_mesh = entry->mesh,
                             .implicit = entry->implicit,
                             .fat = entry->fat};
}
