#include "app/stretched.h"

#include <stdio.h>

#define MOST_STRETCHED 2.0 // times the length

bool starts_stretched(SnWorld *world, char *out_line, size_t size) {
    SnBodyId id = {0, 0}, worst = id;
    double most = MOST_STRETCHED;
    while ((id = sn_world_next_body(world, id)).index != 0) {
        SnMeasures now;
        if (sn_body_measure(world, id, &now).code == SN_OK && 1.0 + now.stretch_max > most) {
            most = 1.0 + now.stretch_max;
            worst = id;
        }
    }
    if (worst.index == 0)
        return false;
    snprintf(out_line, size,
             "\"%s\" begins with a segment of %.3g times its length: what it is attached to is "
             "elsewhere; sinew info SCENE tells where joints of skeletons are as the scene begins",
             sn_body_name(world, worst), most);
    return true;
}
