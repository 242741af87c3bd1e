// GLSL sources. Each stage of a program is the header followed by one of the others.
#pragma once

extern const char view_glsl_header[];           // version, and the Frame block all programs share
extern const char view_glsl_body_vertex[];      // rods and pegs into the G-buffer
extern const char view_glsl_ground_vertex[];    // a large square into the G-buffer
extern const char view_glsl_surface_fragment[]; // colour and normal of either
extern const char view_glsl_bark_fragment[];    // of meshes that are bark
extern const char view_glsl_shadow_vertex[];    // rods and pegs as the key light sees them
extern const char view_glsl_shadow_fragment[];
extern const char view_glsl_screen_vertex[];       // one triangle over the whole picture
extern const char view_glsl_visibility_fragment[]; // how much sky and key light each pixel sees
extern const char view_glsl_smooth_fragment[];     // takes the noise out of that
extern const char view_glsl_light_fragment[];      // the lit, tone-mapped picture
extern const char view_glsl_panel_vertex[];        // a rectangle of an overlay
extern const char view_glsl_panel_fragment[];
