#version 150 core
#extension GL_ARB_texture_gather : require
#extension GL_ARB_texture_cube_map_array : require

uniform sampler2D t;
uniform samplerCubeArray c;

noperspective in vec4 varying_0;

out vec4 o;

void main() {
    o = textureGather(t, varying_0.xy) + texture(c, varying_0);
}
