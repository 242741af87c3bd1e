// What was made of the parts of a limb, in words and as JSON.
#include "app/limb.h"

#include "app/terminal.h"
#include "io/json_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Meshes that are longer than this are taken to be in millimetres: no muscle has so many metres.
#define LONGEST_METRES 20.0

void limb_release(Limb *limb) {
    for (int i = 0; i < limb->count; ++i) {
        sn__painted_mesh_destroy(&limb->parts[i].from);
        sn_viper_destroy(&limb->parts[i].muscle);
        sn_bone_pills_destroy(&limb->parts[i].bone);
    }
    free(limb->parts);
    *limb = (Limb){0};
}

double limb_scale(const Limb *limb, double wanted, bool quiet) {
    if (wanted > 0.0)
        return wanted;
    double longest = 0.0;
    for (int i = 0; i < limb->count; ++i)
        longest = fmax(longest, limb_quality(&limb->parts[i]).length);
    if (longest <= LONGEST_METRES)
        return 1.0;
    if (!quiet)
        say_note("a length of %.3g: taken as millimetres; --scale says otherwise", longest);
    return 0.001;
}

SnFitQuality limb_quality(const LimbPart *part) {
    return part->is_bone ? part->bone.quality : part->muscle.quality;
}

const SnFitReport *limb_report(const LimbPart *part) {
    return part->is_bone ? &part->bone.report : &part->muscle.report;
}

static const char *grade(double share) {
    return share < 0.025 ? "very close" : share < 0.06 ? "close" : share < 0.12 ? "rough" : "poor";
}

void limb_print(const LimbPart *part) {
    SnFitQuality q = limb_quality(part);
    const SnFitReport *report = limb_report(part);
    for (int i = 0; i < report->message_count; ++i)
        say_note("%s: %s", part->name, report->messages[i]);
    if (part->is_bone)
        say_result("%s: %d pills between %d spheres", part->label, part->bone.pill_count,
                   part->bone.sphere_count);
    else
        say_result("%s: %d rods of %d points", part->label, part->muscle.rod_count,
                   part->muscle.slice_count);
    say_result(", %.2f s for %d triangles\n", part->seconds, part->from.mesh.triangle_count);
    say_result(
        "  %s: distance from the mesh to the union %.3g rms, %.2f %% of its thickness %.4g\n",
        grade(q.rms / q.thickness), q.rms, 100.0 * q.rms / q.thickness, q.thickness);
    say_result("  farthest %.3g (Hausdorff), volume %.2f %% of %.4g, length %.4g\n", q.hausdorff,
               100.0 * q.volume_ratio, q.volume, q.length);
    say_result("  %s from %.4g to %.4g long\n  time:", part->is_bone ? "pills" : "rods", q.shortest,
               q.longest);
    for (int i = 0; i < report->stage_count; ++i)
        say_result("%s %s %.0f ms", i > 0 ? "," : "", report->stages[i].name, report->stages[i].ms);
    say_result("\n");
}

static void put(JsonWriter *json, const char *key, double value) {
    sn__json_put_key(json, key);
    sn__json_put_double(json, value);
}

static void put_part(JsonWriter *json, const LimbPart *part, bool named) {
    SnFitQuality q = limb_quality(part);
    sn__json_open(json, '{');
    if (named) {
        sn__json_put_key(json, "name");
        sn__json_put_string(json, part->name);
    }
    put(json, "volume_ratio", q.volume_ratio);
    put(json, "rms", q.rms);
    put(json, "hausdorff", q.hausdorff);
    put(json, "thickness", q.thickness);
    sn__json_put_key(json, part->is_bone ? "pills" : "rods");
    sn__json_put_int(json, part->is_bone ? part->bone.pill_count : part->muscle.rod_count);
    sn__json_put_key(json, part->is_bone ? "spheres" : "slices");
    sn__json_put_int(json, part->is_bone ? part->bone.sphere_count : part->muscle.slice_count);
    put(json, "seconds", part->seconds);
    const SnFitReport *report = limb_report(part);
    sn__json_put_key(json, "notes");
    sn__json_open(json, '[');
    for (int i = 0; i < report->message_count; ++i)
        sn__json_put_string(json, report->messages[i]);
    sn__json_close(json, ']');
    sn__json_close(json, '}');
}

void limb_print_json(const Limb *limb) {
    JsonWriter json = {0};
    if (limb->count > 1)
        sn__json_open(&json, '[');
    for (int i = 0; i < limb->count; ++i)
        put_part(&json, &limb->parts[i], limb->count > 1);
    if (limb->count > 1)
        sn__json_close(&json, ']');
    puts(json.text && !json.out_of_memory ? json.text : "");
    sn__json_writer_free(&json);
}
