#version 150 core
#extension GL_ARB_texture_query_lod : require

uniform sampler2D t;

in vec4 varying_0;

out vec4 o;

void main() {
    o = vec4(textureQueryLOD(t, varying_0.xy), varying_0.zw);
}
