// Where the entries of a scene's lists stand in its file, for errors that are found when a world is
// built and the text is gone.
#include "io/scene_parts.h"

#include <string.h>

// Counts lines from where it was last asked, so that all entries together take one pass.
typedef struct LineCount {
    const char *text;
    size_t at;
    int line;
} LineCount;

static int line_of(LineCount *count, const Json *value) {
    for (; count->at < value->offset; ++count->at)
        count->line += count->text[count->at] == '\n';
    return count->line;
}

void sn__scene_note_lines(Reader *reader, SnScene *scene) {
    const Json *root = sn__json_root(&reader->doc);
    LineCount count = {reader->doc.text, 0, 1};
    scene->lines = sn__reader_alloc(reader, root->count, sizeof *scene->lines);
    const Json *member = scene->lines ? sn__json_first(root) : NULL;
    for (; member && !reader->out_of_memory; member = sn__json_next(&reader->doc, member)) {
        const char *name = sn__json_key(&reader->doc, member);
        bool list = member->kind == JSON_ARRAY; // a single skeleton is none
        int *lines = sn__reader_alloc(reader, list ? member->count : 1, sizeof *lines);
        SceneLines *own = &scene->lines[scene->line_count++];
        *own =
            (SceneLines){.list = sn__arena_text(reader->arena, name, strlen(name)), .lines = lines};
        reader->out_of_memory |= own->list == NULL;
        const Json *entry = list ? sn__json_first(member) : member;
        for (; entry && lines; entry = list ? sn__json_next(&reader->doc, entry) : NULL)
            lines[own->count++] = line_of(&count, entry);
    }
}

SnResult sn__scene_at(const SnScene *scene, const char *list, int entry, SnResult result) {
    if (result.code == SN_OK)
        return result;
    for (int i = 0; i < scene->line_count; ++i)
        if (strcmp(scene->lines[i].list, list) == 0 && entry >= 0 && entry < scene->lines[i].count)
            return sn_error(result.code, "%s:%d: /%s/%d: %s", scene->file,
                            scene->lines[i].lines[entry], list, entry, result.message);
    return sn_error(result.code, "%s: /%s/%d: %s", scene->file, list, entry, result.message);
}
