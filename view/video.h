// MP4 video (H.264) through the ffmpeg program.
#pragma once

#include "view/image.h"

typedef struct ViewVideo ViewVideo;

// Starts ffmpeg, which must be in PATH. Frames go to path + ".part"; closing renames it. An odd
// width or height is made even by a row of black.
SnResult view_video_open(const char *path, int width, int height, double frames_per_second,
                         ViewVideo **out_video);

// Adds a frame. Waits while ffmpeg is busy.
SnResult view_video_add(ViewVideo *video, const ViewImage *frame);

// Finishes the file with the frames it has, and releases the video whatever the result: call it
// also after an error or an interrupted run. Without a single frame there is no file, and an error.
SnResult view_video_close(ViewVideo *video);
