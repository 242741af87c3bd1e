#include "app/capture.h"

#include "app/interrupt.h"
#include "app/patience.h"
#include "app/progress.h"
#include "app/recorder.h"
#include "app/stretched.h"
#include "app/sweeps.h"
#include "app/terminal.h"
#include "view/png.h"
#include "view/video.h"

#include <math.h>
#include <string.h>

// Who interrupts the simulation still gets as much of the video as can be drawn in this time.
#define GRACE_MS 2000.0

static bool stop_recording(void *context) {
    (void)context;
    return interrupted();
}

// Ctrl-C within a set-up or a step that takes long: the files hold what was recorded before.
static void leave_recording(void *context) {
    Recorder *recorder = context;
    recorder_write(recorder);
    if (recorder->frames > 0)
        say_note("interrupted within a long step after %d frame%s; what was done is kept",
                 recorder->frames, recorder->frames == 1 ? "" : "s");
    else
        say_note("interrupted while setting up; nothing was written");
    if (sinks_wants(recorder->sinks, SINK_IMAGE) || sinks_wants(recorder->sinks, SINK_VIDEO))
        say_note("pictures and videos were not drawn");
}

static SnResult record_frames(const CaptureDef *def, Simulation *simulation, Recorder *recorder) {
    int last = simulation_last_frame(simulation->settings, def->seconds);
    Progress progress = progress_begin("simulating", "frames", last, def->quiet);
    SnResult result = sn_ok();
    for (int frame = 0; frame <= last && result.code == SN_OK; ++frame) {
        bool reached;
        patience_begin(&progress, leave_recording, recorder);
        result = simulation_to_frame(simulation, frame, stop_recording, NULL, &reached);
        patience_end();
        if (result.code == SN_OK && reached)
            result = recorder_add(recorder, simulation);
        else
            break;
        progress_update(&progress, frame);
    }
    progress_end(&progress);
    return result;
}

// The first pass: everything but drawing.
static SnResult record(const CaptureDef *def, Sinks *sinks, Recorder *recorder,
                       CaptureReport *report) {
    Simulation simulation;
    recorder->sinks = sinks;
    Progress progress = progress_begin("setting up", NULL, 0, def->quiet);
    patience_begin(&progress, leave_recording, recorder);
    SnResult result = simulation_begin(def->scene, &def->world, &simulation);
    patience_end();
    progress_end(&progress);
    if (result.code != SN_OK)
        return result;
    report->stretched =
        starts_stretched(simulation.world, report->stretched_line, sizeof report->stretched_line);
    int image_frame = (int)lround(def->image_time * simulation.settings.fps);
    result = recorder_begin(sinks, &simulation, def->world.thread_count, image_frame, recorder);
    if (result.code == SN_OK && !sinks_all_failed(sinks))
        result = record_frames(def, &simulation, recorder);
    recorder_finish(recorder, &simulation);
    report->seconds = simulation_time(&simulation);
    report->wall_seconds = simulation.wall_ms * 1.0e-3;
    report->steps = simulation.steps;
    report->bits = simulation.bits;
    report->torn_gap = simulation.torn_gap;
    memcpy(report->torn_link, simulation.torn_link, sizeof report->torn_link);
    report->volume_error_max = recorder->volume_error_max;
    report->bodies = sn_scene_body_count(def->scene);
    report->asleep = simulation_asleep(&simulation);
    report->contacts = sn_world_contact_events(simulation.world).contact_count;
    report->last = recorder->last;
    if (recorder->gltf)
        report->morphs = sn_gltf_morphs(recorder->gltf);
    report->soft = sweeps_are_soft(simulation.world, simulation.settings, report->soft_line,
                                   sizeof report->soft_line);
    simulation_end(&simulation);
    return result;
}

static void leave_image(void *context) {
    (void)context;
    say_note("interrupted while drawing; the picture was not written");
}

static void draw_image(Picture *picture, const Recorder *recorder, Sinks *sinks) {
    patience_begin(NULL, leave_image, NULL);
    SnResult result = picture_draw(picture, &recorder->image_moment);
    patience_end();
    if (result.code == SN_OK)
        result = view_png_write(sinks->paths[SINK_IMAGE], &picture->image);
    sinks_finish(sinks, SINK_IMAGE, result);
}

typedef struct Deadline {
    bool grace; // interrupted before drawing began
    double end; // ms
} Deadline;

static bool stop_drawing(void *context) {
    const Deadline *deadline = context;
    return interrupted() && !(deadline->grace && sn_now_ms() < deadline->end);
}

typedef struct Drawing {
    Sinks *sinks;
    ViewVideo *video;
    int drawn; // frames
} Drawing;

static void leave_drawing(void *context) {
    Drawing *drawing = context;
    int drawn = drawing->drawn;
    SnResult closed = view_video_close(drawing->video);
    if (drawn > 0)
        sinks_finish(drawing->sinks, SINK_VIDEO, closed);
    say_note("interrupted while drawing; the video has %d frame%s", drawn, drawn == 1 ? "" : "s");
}

// Simulates again, drawing.
static SnResult draw_frames(const CaptureDef *def, Picture *picture, int frames, Drawing *drawing) {
    Deadline deadline = {interrupted(), sn_now_ms() + GRACE_MS};
    Progress progress = progress_begin("drawing   ", "frames", frames, def->quiet);
    Simulation simulation;
    Moment moment = {0};
    patience_begin(&progress, leave_drawing, drawing);
    SnResult result = simulation_begin(def->scene, &def->world, &simulation);
    patience_end();
    for (int frame = 0; frame < frames && result.code == SN_OK; ++frame) {
        bool reached;
        patience_begin(&progress, leave_drawing, drawing);
        result = simulation_to_frame(&simulation, frame, stop_drawing, &deadline, &reached);
        patience_end();
        if (result.code != SN_OK || !reached || (frame > 0 && stop_drawing(&deadline)))
            break;
        double time = simulation_time(&simulation);
        result = moment_take(def->scene, simulation.world, time, &moment);
        patience_begin(&progress, leave_drawing, drawing);
        if (result.code == SN_OK)
            result = picture_draw(picture, &moment);
        patience_end();
        if (result.code == SN_OK)
            result = view_video_add(drawing->video, &picture->image);
        drawing->drawn += result.code == SN_OK;
        progress_update(&progress, frame + 1);
    }
    progress_end(&progress);
    moment_release(&moment);
    simulation_end(&simulation);
    return result;
}

static void draw_video(const CaptureDef *def, Picture *picture, int frames, Sinks *sinks,
                       CaptureReport *report) {
    double fps = sn_scene_settings(def->scene).fps;
    ViewVideo *video = NULL;
    SnResult result =
        view_video_open(sinks->paths[SINK_VIDEO], def->width, def->height, fps, &video);
    if (result.code != SN_OK) {
        sinks_fail(sinks, SINK_VIDEO, result);
        return;
    }
    Drawing drawing = {.sinks = sinks, .video = video};
    result = draw_frames(def, picture, frames, &drawing);
    SnResult closed = view_video_close(video);
    report->video_seconds = drawing.drawn / fps;
    sinks_finish(sinks, SINK_VIDEO, result.code == SN_OK ? closed : result);
}

// The second pass.
static void draw(const CaptureDef *def, const Recorder *recorder, Sinks *sinks,
                 CaptureReport *report) {
    Picture picture;
    SnResult result =
        picture_begin(def->scene, &recorder->bounds, def->width, def->height, &picture);
    for (Sink sink = SINK_IMAGE; sink <= SINK_VIDEO && result.code != SN_OK; ++sink)
        if (sinks_wants(sinks, sink))
            sinks_fail(sinks, sink, result);
    if (sinks_wants(sinks, SINK_IMAGE))
        draw_image(&picture, recorder, sinks);
    if (sinks_wants(sinks, SINK_VIDEO))
        draw_video(def, &picture, recorder->frames, sinks, report);
    picture_end(&picture);
}

SnResult capture(const CaptureDef *def, Sinks *sinks, CaptureReport *out_report) {
    memset(out_report, 0, sizeof *out_report);
    Recorder recorder = {0};
    SnResult result = record(def, sinks, &recorder, out_report);
    bool draws = sinks_wants(sinks, SINK_IMAGE) || sinks_wants(sinks, SINK_VIDEO);
    if (result.code == SN_OK && draws)
        draw(def, &recorder, sinks, out_report);
    recorder_release(&recorder);
    out_report->interrupted = interrupted();
    return result;
}
