// MP4 video (H.264) through the ffmpeg program.
#pragma once

#include "view/image.h"

typedef struct SnvVideo SnvVideo;

// Starts ffmpeg, which must be in PATH. Frames go to path + ".part"; closing renames it. An odd
// width or height is made even by a row of black.
SnResult snv_video_open(const char *path, int width, int height, double frames_per_second,
                        SnvVideo **out_video);

// Adds a frame. Waits while ffmpeg is busy.
SnResult snv_video_add(SnvVideo *video, const SnvImage *frame);

// Finishes the file with the frames it has, and releases the video whatever the result: call it
// also after an error or an interrupted run. Without a single frame there is no file, and an error.
SnResult snv_video_close(SnvVideo *video);
