// Compressing GLB files with the meshoptimizer library, where the program was built with it.
#pragma once

#include <sinew/gltf.h>

// NULL: it was not.
const SnGltfEncoder *meshopt_encoder(void);
