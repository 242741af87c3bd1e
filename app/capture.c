#include "app/capture.h"

#include "app/interrupt.h"
#include "app/progress.h"
#include "app/recorder.h"
#include "app/sweeps.h"
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

static SnResult record_frames(const CaptureDef *def, Simulation *simulation, Recorder *recorder) {
    int last = simulation_last_frame(simulation->settings, def->seconds);
    Progress progress = progress_begin("simulating", "frames", last, def->quiet);
    SnResult result = sn_ok();
    for (int frame = 0; frame <= last && result.code == SN_OK; ++frame) {
        bool reached;
        result = simulation_to_frame(simulation, frame, stop_recording, NULL, &reached);
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
    SnResult result = simulation_begin(def->scene, &def->world, &simulation);
    if (result.code != SN_OK)
        return result;
    int image_frame = (int)lround(def->image_time * simulation.settings.fps);
    result = recorder_begin(sinks, &simulation, def->world.thread_count, image_frame, recorder);
    if (result.code == SN_OK)
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
    report->soft = sweeps_are_soft(simulation.world, simulation.settings, report->soft_line,
                                   sizeof report->soft_line);
    simulation_end(&simulation);
    return result;
}

static void draw_image(Picture *picture, const Recorder *recorder, Sinks *sinks) {
    SnResult result = picture_draw(picture, &recorder->image_moment);
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

// Simulates again, drawing; *out_drawn frames come into the video.
static SnResult draw_frames(const CaptureDef *def, Picture *picture, int frames, ViewVideo *video,
                            int *out_drawn) {
    Deadline deadline = {interrupted(), sn_now_ms() + GRACE_MS};
    Progress progress = progress_begin("drawing   ", "frames", frames, def->quiet);
    Simulation simulation;
    Moment moment = {0};
    SnResult result = simulation_begin(def->scene, &def->world, &simulation);
    *out_drawn = 0;
    for (int frame = 0; frame < frames && result.code == SN_OK; ++frame) {
        bool reached;
        result = simulation_to_frame(&simulation, frame, stop_drawing, &deadline, &reached);
        if (result.code != SN_OK || !reached || (frame > 0 && stop_drawing(&deadline)))
            break;
        double time = simulation_time(&simulation);
        result = moment_take(def->scene, simulation.world, time, &moment);
        if (result.code == SN_OK)
            result = picture_draw(picture, &moment);
        if (result.code == SN_OK)
            result = view_video_add(video, &picture->image);
        *out_drawn += result.code == SN_OK;
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
    int drawn;
    result = draw_frames(def, picture, frames, video, &drawn);
    SnResult closed = view_video_close(video);
    report->video_seconds = drawn / fps;
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
