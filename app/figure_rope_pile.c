#include "app/figure_kit.h"
#include "base/result.h"
SnResult figure_rope_pile(Figure *figure) { (void)figure; return sn__ok(); }
