#include "app/particles.h"
SnResult particles_write_scene(const ParticleBody *body, const char *path) {
    (void)body;
    return sn_error(SN_ERROR_FILE, "%s: not yet", path);
}
