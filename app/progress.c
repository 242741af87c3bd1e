#include "app/progress.h"

#include <sinew/base.h>

#include "app/terminal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_MS 100.0
#define TICK_MS 1000.0
#define BAR_WIDTH 30

Progress progress_begin(const char *label, const char *unit, double total, bool quiet) {
    bool shown = !quiet && terminal_is_rich(stderr);
    return (Progress){shown, label, unit, total, sn_now_ms(), 0.0, 0.0};
}

static int terminal_width(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void duration_text(char *text, size_t size, double seconds) {
    long s = (long)(seconds + 0.5);
    if (s >= 3600)
        snprintf(text, size, "%ld h %02ld min", s / 3600, s / 60 % 60);
    else if (s >= 60)
        snprintf(text, size, "%ld min %02ld s", s / 60, s % 60);
    else
        snprintf(text, size, "%ld s", s);
}

static void draw_time(const Progress *progress, double now) {
    char time[32];
    duration_text(time, sizeof time, (now - progress->started) * 1.0e-3);
    fprintf(stderr, "\r\033[K%s … %s", progress->label, time);
    fflush(stderr);
}

static void draw_bar(const Progress *progress, double now) {
    double done = progress->done, part = done / progress->total;
    part = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    char bar[3 * BAR_WIDTH + 1] = "";
    for (int i = 0; i < BAR_WIDTH; ++i)
        strcat(bar, (double)i < part * BAR_WIDTH ? "█" : "░");
    double elapsed = (now - progress->started) * 1.0e-3;
    char left[32] = "", rate[32] = "";
    if (part > 0.0 && elapsed > 0.5) {
        duration_text(left, sizeof left, elapsed * (1.0 - part) / part);
        if (progress->unit)
            snprintf(rate, sizeof rate, done < 100.0 * elapsed ? "  %.3g %s/s" : "  %.0f %s/s",
                     done / elapsed, progress->unit);
    }
    // On a narrow terminal only the bar's beginning fits; a second line would never go away.
    bool wide = terminal_width() >= 80;
    char passed[32] = "";
    if (!left[0] && elapsed > 1.0)
        duration_text(passed, sizeof passed, elapsed);
    fprintf(stderr, "\r\033[K%s %s %3.0f %%%s%s%s%s", progress->label, wide ? bar : "",
            100.0 * part, wide ? rate : "",
            left[0]     ? "  left: "
            : passed[0] ? "  since "
                        : "",
            left, passed);
    fflush(stderr);
}

static void draw(Progress *progress, double now) {
    progress->drawn = now;
    if (progress->total > 0.0)
        draw_bar(progress, now);
    else
        draw_time(progress, now);
}

void progress_update(Progress *progress, double done) {
    double now = sn_now_ms();
    progress->done = done;
    if (progress->shown && now - progress->drawn >= REDRAW_MS)
        draw(progress, now);
}

void progress_tick(Progress *progress) {
    double now = sn_now_ms(), last = fmax(progress->drawn, progress->started);
    if (progress->shown && now - last >= TICK_MS)
        draw(progress, now);
}

void progress_end(Progress *progress) {
    if (progress->shown && progress->drawn > 0.0) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
