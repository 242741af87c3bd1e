// What the view writes: PNG, plots, grids of pictures and MP4.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "view/image.h"
#include "view/plot.h"
#include "view/png.h"
#include "view/video.h"

#include <math.h>
#include <png.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// A folder of our own for what is written.
static char folder[64];

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/sinew_view_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder); // fails if a test left something behind
}

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool exists(const char *name) {
    struct stat info;
    return stat(path_of(name), &info) == 0;
}

static ViewImage picture(int width, int height) {
    ViewImage image;
    SnResult result = view_image_create(width, height, 30, 120, 200, &image);
    assert_string_equal(result.message, "");
    uint32_t noise = 1; // so that it does not compress to nothing
    for (int i = 0; i < width * height; ++i) {
        noise = noise * 1664525u + 1013904223u;
        image.pixels[3 * i] = (uint8_t)(noise >> 24);
    }
    return image;
}

static ViewImage read_png(const char *path) {
    png_image header = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&header, path));
    header.format = PNG_FORMAT_RGB;
    ViewImage image = {(int)header.width, (int)header.height, malloc(PNG_IMAGE_SIZE(header))};
    assert_true(png_image_finish_read(&header, NULL, image.pixels, 0, NULL));
    return image;
}

static void png_holds_the_picture(void **state) {
    (void)state;
    ViewImage image = picture(33, 21);
    SnResult result = view_png_write(path_of("a.png"), &image);
    assert_string_equal(result.message, "");
    assert_false(exists("a.png.part"));
    char tail[12];
    FILE *file = fopen(path_of("a.png"), "rb");
    assert_int_equal(fseek(file, -12, SEEK_END), 0);
    assert_int_equal(fread(tail, 1, 12, file), 12);
    fclose(file);
    assert_memory_equal(tail + 4, "IEND", 4); // complete to the last chunk
    ViewImage back = read_png(path_of("a.png"));
    assert_int_equal(back.width, 33);
    assert_int_equal(back.height, 21);
    assert_memory_equal(back.pixels, image.pixels, 3 * 33 * 21);
    view_image_release(&image);
    view_image_release(&back);
    remove(path_of("a.png"));
}

static void png_errors_name_the_path(void **state) {
    (void)state;
    ViewImage image = picture(8, 8), empty = {0};
    SnResult result = view_png_write("/nonexistent/a.png", &image);
    assert_int_equal(result.code, SN_ERROR_FILE);
    assert_non_null(strstr(result.message, "/nonexistent/a.png"));
    assert_non_null(strstr(result.message, "No such file"));
    assert_int_equal(view_png_write(path_of("a.png"), &empty).code, SN_ERROR_INVALID);
    assert_int_equal(view_png_write(folder, &image).code, SN_ERROR_FILE); // a folder is in the way
    char part[80];
    snprintf(part, sizeof part, "%s.part", folder);
    assert_int_not_equal(access(part, F_OK), 0);
    view_image_release(&image);
}

// A limit on file sizes fails like a full disk: in the middle of a write.
static void full_disk_leaves_nothing(void **state) {
    (void)state;
    ViewImage image = picture(400, 400);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 8192;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    SnResult result = view_png_write(path_of("full.png"), &image);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(result.code, SN_ERROR_FILE);
    assert_non_null(strstr(result.message, "File too large"));
    assert_false(exists("full.png"));
    assert_false(exists("full.png.part"));
    view_image_release(&image);
}

static int count_like(const ViewImage *image, int red, int green, int blue) {
    int count = 0;
    for (int i = 0; i < image->width * image->height; ++i) {
        const uint8_t *p = image->pixels + 3 * i;
        count += abs(p[0] - red) < 12 && abs(p[1] - green) < 12 && abs(p[2] - blue) < 12;
    }
    return count;
}

static void plot_shows_its_series(void **state) {
    (void)state;
    double x[64], y[64], z[64];
    for (int i = 0; i < 64; ++i) {
        x[i] = 0.1 * (i + 1);
        y[i] = exp(-x[i]);
        z[i] = i == 10 ? NAN : i == 20 ? -1.0 : 0.5 * x[i];
    }
    const float green[3] = {0.0f, 0.8f, 0.0f}, blue[3] = {0.0f, 0.0f, 1.0f};
    const ViewPlotSeries series[] = {
        {"measured", 64, x, y, VIEW_PLOT_LINE | VIEW_PLOT_MARKERS, green},
        {"expected", 64, x, z, VIEW_PLOT_DASHES, blue},
    };
    ViewPlot plot = {.title = "Decay", .series = series, .series_count = 2};
    plot.x.label = "time (s)";
    plot.y.label = "amplitude";
    for (int log = 0; log < 4; ++log) {
        plot.x.log = log & 1;
        plot.y.log = log & 2;
        SnResult result = view_plot_write(path_of("plot.png"), &plot);
        assert_string_equal(result.message, "");
        ViewImage image = read_png(path_of("plot.png"));
        assert_int_equal(image.width, 1200);
        assert_int_equal(image.height, 800);
        assert_true(count_like(&image, 0, 204, 0) > 2000);
        assert_true(count_like(&image, 0, 0, 255) > 500);
        assert_true(count_like(&image, 255, 255, 255) > 800000);
        view_image_release(&image);
        remove(path_of("plot.png"));
    }
}

static void plot_line_is_where_it_should_be(void **state) {
    (void)state;
    const double x[] = {0.0, 1.0}, y[] = {0.5, 0.5};
    const float blue[3] = {0.0f, 0.0f, 1.0f};
    const ViewPlotSeries series = {NULL, 2, x, y, VIEW_PLOT_LINE, blue};
    ViewPlot plot = {.series = &series, .series_count = 1, .width = 600, .height = 400};
    plot.x.high = plot.y.high = 1.0;
    ViewImage image;
    assert_int_equal(view_plot_draw(&plot, &image).code, SN_OK);
    // The frame spans 2.2 units from the top and 3.8 from the bottom, of 400/58 pixels each.
    double unit = 400.0 / 58.0, middle = 0.5 * (2.2 * unit + 400.0 - 3.8 * unit);
    const uint8_t *on = image.pixels + 3 * ((int)middle * 600 + 300);
    const uint8_t *off = image.pixels + 3 * (((int)middle + 5) * 600 + 300);
    assert_true(on[2] > 200 && on[0] < 60);
    assert_true(off[0] > 200);
    view_image_release(&image);
}

static void plots_of_nothing_and_of_odd_numbers(void **state) {
    (void)state;
    const double same[] = {3.0, 3.0}, odd[] = {NAN, INFINITY}, wide[] = {1.0e-300, 1.0e300};
    const ViewPlotSeries series[] = {
        {"none", 0, NULL, NULL, 0, NULL},
        {"same", 2, same, same, VIEW_PLOT_MARKERS, NULL},
        {"odd", 2, odd, odd, 0, NULL},
        {"wide", 2, wide, wide, VIEW_PLOT_DASHES, NULL},
    };
    for (int i = 0; i < 4; ++i)
        for (int log = 0; log < 2; ++log) {
            ViewPlot plot = {.series = &series[i], .series_count = 1, .width = 300, .height = 200};
            plot.x.log = plot.y.log = log;
            ViewImage image;
            SnResult result = view_plot_draw(&plot, &image);
            assert_string_equal(result.message, "");
            view_image_release(&image);
        }
    ViewPlot tiny = {.width = 10, .height = 10};
    ViewImage image;
    assert_int_equal(view_plot_draw(&tiny, &image).code, SN_ERROR_INVALID);
    ViewPlot plain = {.series_count = 0};
    assert_int_equal(view_plot_write("/nonexistent/p.png", &plain).code, SN_ERROR_FILE);
}

static void grid_puts_pictures_side_by_side(void **state) {
    (void)state;
    ViewImage images[3] = {picture(100, 60), picture(80, 60), picture(100, 40)};
    const char *captions[3] = {"volume rod", NULL,
                               "a caption that is much too long for its picture"};
    ViewImage grid;
    SnResult result = view_image_grid(images, captions, 3, 2, &grid);
    assert_string_equal(result.message, "");
    assert_int_equal(grid.width, 2 * 100 + 3 * 12);
    assert_true(grid.height > 2 * 60 + 3 * 12);
    const uint8_t *first = grid.pixels + 3 * (12 * grid.width + 12);
    assert_memory_equal(first, images[0].pixels, 300);
    assert_true(count_like(&grid, 41, 46, 54) > 20); // the ink of the captions
    view_image_release(&grid);
    assert_int_equal(view_image_grid(images, NULL, 0, 2, &grid).code, SN_ERROR_INVALID);
    view_image_release(&images[1]);
    assert_int_equal(view_image_grid(images, NULL, 3, 2, &grid).code, SN_ERROR_INVALID);
    view_image_release(&images[0]);
    view_image_release(&images[2]);
}

// Width, height and number of frames, as ffprobe counts them.
static void probe(const char *path, int *width, int *height, int *frames) {
    char command[256];
    snprintf(command, sizeof command,
             "ffprobe -v error -count_frames -select_streams v:0 -of csv=p=0 "
             "-show_entries stream=width,height,nb_read_frames '%s'",
             path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%d,%d,%d", width, height, frames), 3);
    pclose(pipe);
}

static void video_has_every_frame(void **state) {
    (void)state;
    ViewVideo *video = NULL;
    ViewImage frame = picture(161, 90);
    SnResult result = view_video_open(path_of("a.mp4"), 161, 90, 30.0, &video);
    assert_string_equal(result.message, "");
    for (int i = 0; i < 12; ++i) {
        result = view_video_add(video, &frame);
        assert_string_equal(result.message, "");
    }
    assert_false(exists("a.mp4"));
    result = view_video_close(video);
    assert_string_equal(result.message, "");
    assert_false(exists("a.mp4.part"));
    int width = 0, height = 0, frames = 0;
    probe(path_of("a.mp4"), &width, &height, &frames);
    assert_int_equal(width, 162);
    assert_int_equal(height, 90);
    assert_int_equal(frames, 12);
    view_image_release(&frame);
    remove(path_of("a.mp4"));
}

static void video_refuses_bad_input(void **state) {
    (void)state;
    ViewVideo *video = NULL;
    ViewImage small = picture(8, 8);
    assert_int_equal(view_video_open(path_of("b.mp4"), 0, 90, 30.0, &video).code, SN_ERROR_INVALID);
    assert_int_equal(view_video_open(path_of("b.mp4"), 64, 64, NAN, &video).code, SN_ERROR_INVALID);
    SnResult result = view_video_open("/nonexistent/b.mp4", 64, 64, 30.0, &video);
    assert_int_equal(result.code, SN_ERROR_FILE);
    assert_non_null(strstr(result.message, "/nonexistent/b.mp4"));
    assert_null(video);

    assert_int_equal(view_video_open(path_of("b.mp4"), 64, 64, 30.0, &video).code, SN_OK);
    assert_int_equal(view_video_add(video, &small).code, SN_ERROR_INVALID);
    result = view_video_close(video); // no frame got in
    assert_int_equal(result.code, SN_ERROR_INVALID);
    assert_false(exists("b.mp4"));
    assert_false(exists("b.mp4.part"));
    view_image_release(&small);
}

static void missing_ffmpeg_is_named(void **state) {
    (void)state;
    char *path = strdup(getenv("PATH"));
    setenv("PATH", folder, 1);
    ViewVideo *video = NULL;
    SnResult result = view_video_open(path_of("c.mp4"), 64, 64, 30.0, &video);
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(result.code, SN_ERROR_FILE);
    assert_non_null(strstr(result.message, "install ffmpeg"));
    assert_false(exists("c.mp4.part"));
}

// A stand-in that takes some frames and then fails: the last lines that it said come back whole, and no
// signal kills us.
static void failing_ffmpeg_is_quoted(void **state) {
    (void)state;
    FILE *script = fopen(path_of("ffmpeg"), "w");
    fputs("#!/bin/sh\n/usr/bin/head -c 20000 >/dev/null\n\n"
          "printf '%0300d\\ndisk melted\\nbadly\\n' 1 >&2\nexit 3\n",
          script);
    fclose(script);
    chmod(path_of("ffmpeg"), 0755);
    char *path = strdup(getenv("PATH"));
    setenv("PATH", folder, 1);
    ViewVideo *video = NULL;
    ViewImage frame = picture(640, 480);
    SnResult opened = view_video_open(path_of("d.mp4"), 640, 480, 30.0, &video);
    setenv("PATH", path, 1);
    free(path);
    assert_string_equal(opened.message, "");
    SnResult result = opened;
    for (int i = 0; i < 50 && result.code == SN_OK; ++i)
        result = view_video_add(video, &frame);
    assert_int_equal(result.code, SN_ERROR_FILE);
    assert_non_null(strstr(result.message, ": disk melted badly"));
    result = view_video_close(video);
    assert_int_equal(result.code, SN_ERROR_FILE);
    assert_non_null(strstr(result.message, "ffmpeg failed: disk melted badly"));
    assert_false(exists("d.mp4"));
    assert_false(exists("d.mp4.part"));
    view_image_release(&frame);
    remove(path_of("ffmpeg"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_holds_the_picture),
        cmocka_unit_test(png_errors_name_the_path),
        cmocka_unit_test(full_disk_leaves_nothing),
        cmocka_unit_test(plot_shows_its_series),
        cmocka_unit_test(plot_line_is_where_it_should_be),
        cmocka_unit_test(plots_of_nothing_and_of_odd_numbers),
        cmocka_unit_test(grid_puts_pictures_side_by_side),
        cmocka_unit_test(video_has_every_frame),
        cmocka_unit_test(video_refuses_bad_input),
        cmocka_unit_test(missing_ffmpeg_is_named),
        cmocka_unit_test(failing_ffmpeg_is_quoted),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
