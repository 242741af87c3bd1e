#include "view/video.h"

#include "io/part.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct ViewVideo {
    pid_t ffmpeg;
    int frames_to; // socket to its standard input: unlike a pipe, it can report a lost reader by an
                   // error instead of SIGPIPE
    int words_from; // its standard error
    int width, height, frame_count;
    bool failed;
    char words[240]; // the last it said, line by line
    bool said_more;
    char *path; // as it was given
    Part part;
};

// Keeps the end of what ffmpeg says.
static void remember(ViewVideo *video, const char *text, size_t length) {
    const size_t room = sizeof video->words - 1;
    if (length > room) {
        text += length - room;
        length = room;
        video->said_more = true;
    }
    size_t kept = strlen(video->words);
    if (kept + length > room) {
        size_t dropped = kept + length - room;
        memmove(video->words, video->words + dropped, kept - dropped);
        kept -= dropped;
        video->said_more = true;
    }
    for (size_t i = 0; i < length; ++i)
        video->words[kept + i] = (unsigned char)text[i] < ' ' && text[i] != '\n' ? ' ' : text[i];
    video->words[kept + length] = '\0';
}

// Reads what there is without waiting; false at the end of the stream.
static bool listen_to(ViewVideo *video) {
    for (;;) {
        char text[512];
        ssize_t count = read(video->words_from, text, sizeof text);
        if (count > 0)
            remember(video, text, (size_t)count);
        else if (count == 0)
            return false;
        else if (errno != EINTR)
            return errno == EAGAIN;
    }
}

// The last words of ffmpeg in one line, from the first whole one of its lines on.
static const char *last_words(ViewVideo *video) {
    char *begin = video->words, *end = begin + strlen(begin);
    while (end > begin && (end[-1] == ' ' || end[-1] == '\n'))
        *--end = '\0';
    char *broken = video->said_more ? strchr(begin, '\n') : NULL;
    if (broken)
        memmove(begin, broken + 1, strlen(broken));
    video->said_more = false;
    for (char *c = begin; *c; ++c)
        *c = *c == '\n' ? ' ' : *c;
    return begin;
}

static void close_descriptor(int *descriptor) {
    if (*descriptor >= 0) {
        close(*descriptor);
        *descriptor = -1;
    }
}

static void release(ViewVideo *video) {
    close_descriptor(&video->frames_to);
    close_descriptor(&video->words_from);
    free(video->path);
    free(video);
}

// A descriptor of ffmpeg that is neither input nor output: the lock on the part. If the program is
// killed, the part stays locked until ffmpeg has ended, too.
#define LOCK_FILENO 3

// ffmpeg gets a process group of its own, so that Ctrl-C reaches only the program, which then
// finishes the file in order; and if the program dies, ffmpeg sees the end of its input and
// finishes the file itself.
static int spawn(ViewVideo *video, char *const arguments[], int frames, int words) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigset_t none;
    sigemptyset(&none);
    error = posix_spawn_file_actions_adddup2(&actions, frames, STDIN_FILENO);
    error =
        error ? error
              : posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    error = error ? error : posix_spawn_file_actions_adddup2(&actions, words, STDERR_FILENO);
    if (error == 0 && video->part.lock >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, video->part.lock, LOCK_FILENO);
    error = error ? error
                  : posix_spawnattr_setflags(&attributes,
                                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    error = error ? error : posix_spawnattr_setpgroup(&attributes, 0);
    error = error ? error : posix_spawnattr_setsigmask(&attributes, &none);
    error = error
                ? error
                : posix_spawnp(&video->ffmpeg, "ffmpeg", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int start_ffmpeg(ViewVideo *video, double frames_per_second) {
    char size[32], rate[32], target[8 + 4096];
    snprintf(size, sizeof size, "%dx%d", video->width, video->height);
    snprintf(rate, sizeof rate, "%.9g", frames_per_second);
    // The prefix keeps ffmpeg from reading a path like "a:b" as a protocol.
    if ((size_t)snprintf(target, sizeof target, "file:%s", video->part.place) >= sizeof target)
        return ENAMETOOLONG;
    const char *const arguments[] = {
        "ffmpeg",
        "-hide_banner",
        "-loglevel",
        "error",
        "-y",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-video_size",
        size,
        "-framerate",
        rate,
        "-i",
        "pipe:0",
        "-an",
        "-vf",
        "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
        "-c:v",
        "libx264",
        "-preset",
        "veryfast",
        "-crf",
        "20",
        "-colorspace",
        "bt709",
        "-color_primaries",
        "bt709",
        "-color_trc",
        "bt709",
        "-color_range",
        "tv",
        "-movflags",
        "+faststart",
        "-f",
        "mp4",
        target,
        NULL};

    int frames[2], words[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, frames) != 0)
        return errno;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, words) != 0) {
        int error = errno;
        close(frames[0]);
        close(frames[1]);
        return error;
    }
    video->frames_to = frames[0];
    video->words_from = words[0];
    // posix_spawn does not change the strings; its type predates const.
    int error = spawn(video, (char *const *)(uintptr_t)arguments, frames[1], words[1]);
    close(frames[1]);
    close(words[1]);
    fcntl(video->frames_to, F_SETFL, O_NONBLOCK);
    fcntl(video->words_from, F_SETFL, O_NONBLOCK);
    return error;
}

// The part is made first: ffmpeg would only report an unwritable path after the first frame, and in
// its own words.
static SnResult start(ViewVideo *video, double frames_per_second) {
    SnResult result = sn__part_begin(&video->part, video->path);
    if (result.code != SN_OK)
        return result;
    int error = start_ffmpeg(video, frames_per_second);
    if (error) {
        sn__part_abandon(&video->part);
        return sn_error(SN_ERROR_FILE, "%s: ffmpeg cannot be started: %s%s", video->path,
                        strerror(error),
                        error == ENOENT ? "; install ffmpeg or put it in PATH" : "");
    }
    return sn_ok();
}

SnResult view_video_open(const char *path, int width, int height, double frames_per_second,
                         ViewVideo **out_video) {
    *out_video = NULL;
    if (width < 2 || height < 2 || width > VIEW_MAX_IMAGE_SIDE || height > VIEW_MAX_IMAGE_SIDE)
        return sn_error(SN_ERROR_INVALID, "%s: video size %d×%d is not within 2 and %d", path,
                        width, height, VIEW_MAX_IMAGE_SIDE);
    if (!(frames_per_second >= 0.1 && frames_per_second <= 1000.0))
        return sn_error(SN_ERROR_INVALID, "%s: %g frames per second is not within 0.1 and 1000",
                        path, frames_per_second);
    ViewVideo *video = calloc(1, sizeof *video);
    char *copy = strdup(path);
    if (video == NULL || copy == NULL) {
        free(video);
        free(copy);
        return sn_error(SN_ERROR_MEMORY, "%s: no memory for a video", path);
    }
    *video = (ViewVideo){.frames_to = -1, .words_from = -1, .width = width, .height = height};
    video->path = copy;
    SnResult result = start(video, frames_per_second);
    if (result.code != SN_OK) {
        release(video);
        return result;
    }
    *out_video = video;
    return result;
}

// Waits until ffmpeg takes more, and listens meanwhile so that it never waits for us.
static void wait_for_room(ViewVideo *video) {
    struct pollfd events[2] = {{video->frames_to, POLLOUT, 0}, {video->words_from, POLLIN, 0}};
    poll(events, 2, -1);
    if (events[1].revents && !listen_to(video)) {
        // At the end of the stream poll would return at once for ever; the socket fails next.
        events[1].fd = -1;
        poll(events, 1, -1);
    }
}

SnResult view_video_add(ViewVideo *video, const ViewImage *frame) {
    if (frame->pixels == NULL || frame->width != video->width || frame->height != video->height)
        return sn_error(SN_ERROR_INVALID, "%s: frame %d is %d×%d, the video %d×%d", video->path,
                        video->frame_count, frame->width, frame->height, video->width,
                        video->height);
    size_t size = 3 * (size_t)frame->width * (size_t)frame->height, sent = 0;
    while (sent < size && !video->failed) {
        ssize_t count = send(video->frames_to, frame->pixels + sent, size - sent, MSG_NOSIGNAL);
        if (count >= 0)
            sent += (size_t)count;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            wait_for_room(video);
        else if (errno != EINTR)
            video->failed = true;
    }
    if (video->failed) {
        listen_to(video);
        return sn_error(SN_ERROR_FILE, "%s: ffmpeg gave up at frame %d: %s", video->path,
                        video->frame_count, last_words(video));
    }
    ++video->frame_count;
    return sn_ok();
}

// Lets ffmpeg finish; true if it says all went well.
static bool finish_ffmpeg(ViewVideo *video) {
    close_descriptor(&video->frames_to);
    struct pollfd event = {video->words_from, POLLIN, 0};
    do {
        poll(&event, 1, -1);
    } while (listen_to(video));
    int status = 0;
    while (waitpid(video->ffmpeg, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

SnResult view_video_close(ViewVideo *video) {
    bool done = finish_ffmpeg(video) && !video->failed;
    SnResult result = sn_ok();
    if (video->frame_count == 0 && !video->failed)
        result =
            sn_error(SN_ERROR_INVALID, "%s: a video without frames was not written", video->path);
    else if (!done)
        result = sn_error(SN_ERROR_FILE, "%s: ffmpeg failed: %s", video->path, last_words(video));
    if (result.code != SN_OK) {
        sn__part_abandon(&video->part);
    } else {
        int error = sn__part_end(&video->part);
        if (error)
            result =
                sn_error(SN_ERROR_FILE, "%s: cannot be written: %s", video->path, strerror(error));
    }
    release(video);
    return result;
}
