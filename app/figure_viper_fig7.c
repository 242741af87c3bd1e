#include "app/figure_kit.h"
#include "base/result.h"
SnResult figure_viper_fig7(Figure *figure) { (void)figure; return sn__ok(); }
