// Time for measurements; nothing simulated depends on it.
#pragma once

// Milliseconds since some fixed moment; never goes back.
double sn_now_ms(void);
