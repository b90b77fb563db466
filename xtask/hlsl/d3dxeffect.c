/* Says what D3DX finds in compiled effects of Direct3D 9. The first argument is the DLL that has D3DXCreateEffect; each line
   of the standard input is a file. For each one come a line OK or FAIL with the HRESULT, lines that say what is in it, and a
   line END:

     effect PARAMETERS TECHNIQUES
     parameter ADDRESS NAME SEMANTIC CLASS TYPE ROWS COLUMNS ELEMENTS MEMBERS ANNOTATIONS FLAGS BYTES
     value ADDRESS HEX                  a number or numbers
     text ADDRESS TEXT                  a string
     function ADDRESS HEX               the function of a shader, of a parameter or a pass
     technique ADDRESS NAME PASSES ANNOTATIONS
     pass ADDRESS NAME ANNOTATIONS

   An address is param2, param2[1] for an element, param2.1 for a member, technique0/pass1, with @0 behind it for an
   annotation, and technique0/pass1/vs and ps. A name is in quotes, or - if there is none.

   D3DX wants a device, which it asks for little while it reads an effect. This one draws nothing: it knows its abilities and
   makes shaders that keep their bytes. */
#include <d3dx9.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

typedef HRESULT(WINAPI *CreateEffect)(IDirect3DDevice9 *, const void *, UINT, const D3DXMACRO *, ID3DXInclude *, DWORD,
                                      ID3DXEffectPool *, ID3DXEffect **, ID3DXBuffer **);
typedef UINT(WINAPI *ShaderSize)(const DWORD *);

static CreateEffect create_effect;
static ShaderSize shader_size;

/* ---- A device. Whatever is not named here does nothing, with success. */

static HRESULT WINAPI do_nothing(void) { return D3D_OK; }

static void fill(void *vtbl, size_t bytes) {
    size_t n;
    for (n = 0; n < bytes / sizeof(void *); n++)
        ((void **)vtbl)[n] = (void *)do_nothing;
}

/* Vertex and pixel shaders have the same methods. */
typedef struct {
    IDirect3DVertexShader9Vtbl *vtbl;
    LONG references;
    UINT size;
    BYTE bytes[];
} Shader;

static IDirect3DVertexShader9Vtbl shader_vtbl;
static IDirect3DDevice9Vtbl device_vtbl;
static IDirect3DDevice9 device = {&device_vtbl};

static HRESULT WINAPI refuse_query(void *this, REFIID id, void **out) {
    (void)this, (void)id;
    *out = NULL;
    return E_NOINTERFACE;
}

static ULONG WINAPI add_to_shader(Shader *this) { return ++this->references; }

static ULONG WINAPI release_shader(Shader *this) {
    ULONG left = --this->references;
    if (!left)
        free(this);
    return left;
}

static HRESULT WINAPI get_device_of_shader(Shader *this, IDirect3DDevice9 **out) {
    (void)this;
    *out = &device;
    return D3D_OK;
}

static HRESULT WINAPI get_function(Shader *this, void *out, UINT *size) {
    if (out)
        memcpy(out, this->bytes, this->size);
    *size = this->size;
    return D3D_OK;
}

static HRESULT WINAPI create_shader(IDirect3DDevice9 *this, const DWORD *function, Shader **out) {
    UINT size = shader_size(function);
    (void)this;
    *out = malloc(sizeof **out + size);
    if (!*out)
        return E_OUTOFMEMORY;
    (*out)->vtbl = &shader_vtbl;
    (*out)->references = 1;
    (*out)->size = size;
    memcpy((*out)->bytes, function, size);
    return D3D_OK;
}

static ULONG WINAPI count_device(IDirect3DDevice9 *this) {
    (void)this;
    return 2;
}

static HRESULT WINAPI get_nothing(IDirect3DDevice9 *this, void **out) {
    (void)this;
    *out = NULL;
    return D3DERR_INVALIDCALL;
}

static HRESULT WINAPI get_caps(IDirect3DDevice9 *this, D3DCAPS9 *caps) {
    (void)this;
    memset(caps, 0, sizeof *caps);
    caps->DeviceType = D3DDEVTYPE_HAL;
    caps->VertexShaderVersion = D3DVS_VERSION(3, 0);
    caps->PixelShaderVersion = D3DPS_VERSION(3, 0);
    caps->MaxVertexShaderConst = 256;
    return D3D_OK;
}

static HRESULT WINAPI get_creation(IDirect3DDevice9 *this, D3DDEVICE_CREATION_PARAMETERS *out) {
    (void)this;
    memset(out, 0, sizeof *out);
    out->DeviceType = D3DDEVTYPE_HAL;
    return D3D_OK;
}

static void make_device(void) {
    fill(&shader_vtbl, sizeof shader_vtbl);
    shader_vtbl.QueryInterface = (void *)refuse_query;
    shader_vtbl.AddRef = (void *)add_to_shader;
    shader_vtbl.Release = (void *)release_shader;
    shader_vtbl.GetDevice = (void *)get_device_of_shader;
    shader_vtbl.GetFunction = (void *)get_function;
    fill(&device_vtbl, sizeof device_vtbl);
    device_vtbl.QueryInterface = (void *)refuse_query;
    device_vtbl.AddRef = count_device;
    device_vtbl.Release = count_device;
    device_vtbl.GetDirect3D = (void *)get_nothing;
    device_vtbl.GetDeviceCaps = get_caps;
    device_vtbl.GetCreationParameters = get_creation;
    device_vtbl.CreateVertexShader = (void *)create_shader;
    device_vtbl.CreatePixelShader = (void *)create_shader;
}

/* ---- What is said. */

static void say_text(const char *text) {
    if (!text) {
        printf(" -");
        return;
    }
    printf(" \"");
    for (; *text; text++) {
        unsigned char c = *text;
        if (c < 0x20 || c > 0x7E || c == '"' || c == '\\')
            printf("\\x%02x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void say_bytes(const void *bytes, size_t size) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char *at = bytes;
    putchar(' ');
    for (; size; size--, at++) {
        putchar(digits[*at >> 4]);
        putchar(digits[*at & 15]);
    }
    putchar('\n');
}

static void say_function(const char *address, const DWORD *function) {
    printf("function %s", address);
    if (function)
        say_bytes(function, shader_size(function));
    else
        puts(" -");
}

/* Writes an address that goes on from another. */
static const char *step(char *out, size_t size, const char *from, const char *format, UINT n) {
    size_t used = snprintf(out, size, "%s", from);
    if (used < size)
        snprintf(out + used, size - used, format, n);
    return out;
}

static void say_parameter(ID3DXEffect *effect, D3DXHANDLE handle, const char *address, int depth) {
    static BYTE value[1 << 20];
    D3DXPARAMETER_DESC is;
    char next[512];
    UINT n;
    HRESULT result = effect->lpVtbl->GetParameterDesc(effect, handle, &is);
    printf("parameter %s", address);
    if (FAILED(result) || depth > 16) {
        printf(" FAILED %08lx\n", (unsigned long)result);
        return;
    }
    say_text(is.Name);
    say_text(is.Semantic);
    printf(" %d %d %u %u %u %u %u %lx %u\n", is.Class, is.Type, is.Rows, is.Columns, is.Elements, is.StructMembers,
           is.Annotations, (unsigned long)is.Flags, is.Bytes);
    for (n = 0; n < is.Annotations; n++)
        say_parameter(effect, effect->lpVtbl->GetAnnotation(effect, handle, n),
                      step(next, sizeof next, address, "@%u", n), depth + 1);
    if (is.Class != D3DXPC_OBJECT && is.Class != D3DXPC_STRUCT) {
        if (is.Bytes <= sizeof value && SUCCEEDED(effect->lpVtbl->GetValue(effect, handle, value, is.Bytes))) {
            printf("value %s", address);
            say_bytes(value, is.Bytes);
        }
        return;
    }
    if (is.Elements) {
        for (n = 0; n < is.Elements; n++)
            say_parameter(effect, effect->lpVtbl->GetParameterElement(effect, handle, n),
                          step(next, sizeof next, address, "[%u]", n), depth + 1);
        return;
    }
    for (n = 0; n < is.StructMembers; n++)
        say_parameter(effect, effect->lpVtbl->GetParameter(effect, handle, n),
                      step(next, sizeof next, address, ".%u", n), depth + 1);
    if (is.Type == D3DXPT_STRING) {
        const char *text = NULL;
        if (SUCCEEDED(effect->lpVtbl->GetString(effect, handle, &text))) {
            printf("text %s", address);
            say_text(text);
            putchar('\n');
        }
    } else if (is.Type == D3DXPT_VERTEXSHADER || is.Type == D3DXPT_PIXELSHADER) {
        Shader *shader = NULL;
        if (is.Type == D3DXPT_VERTEXSHADER)
            result = effect->lpVtbl->GetVertexShader(effect, handle, (IDirect3DVertexShader9 **)&shader);
        else
            result = effect->lpVtbl->GetPixelShader(effect, handle, (IDirect3DPixelShader9 **)&shader);
        if (FAILED(result))
            printf("function %s FAILED %08lx\n", address, (unsigned long)result);
        else
            say_function(address, shader ? (const DWORD *)shader->bytes : NULL);
        if (SUCCEEDED(result) && shader)
            release_shader(shader);
    }
}

static void say_pass(ID3DXEffect *effect, D3DXHANDLE handle, const char *address) {
    D3DXPASS_DESC is;
    char next[512];
    UINT n;
    HRESULT result = effect->lpVtbl->GetPassDesc(effect, handle, &is);
    printf("pass %s", address);
    if (FAILED(result)) {
        printf(" FAILED %08lx\n", (unsigned long)result);
        return;
    }
    say_text(is.Name);
    printf(" %u\n", is.Annotations);
    for (n = 0; n < is.Annotations; n++)
        say_parameter(effect, effect->lpVtbl->GetAnnotation(effect, handle, n),
                      step(next, sizeof next, address, "@%u", n), 1);
    say_function(step(next, sizeof next, address, "/vs", 0), is.pVertexShaderFunction);
    say_function(step(next, sizeof next, address, "/ps", 0), is.pPixelShaderFunction);
}

static void say_technique(ID3DXEffect *effect, D3DXHANDLE handle, const char *address) {
    D3DXTECHNIQUE_DESC is;
    char next[512];
    UINT n;
    HRESULT result = effect->lpVtbl->GetTechniqueDesc(effect, handle, &is);
    printf("technique %s", address);
    if (FAILED(result)) {
        printf(" FAILED %08lx\n", (unsigned long)result);
        return;
    }
    say_text(is.Name);
    printf(" %u %u\n", is.Passes, is.Annotations);
    for (n = 0; n < is.Annotations; n++)
        say_parameter(effect, effect->lpVtbl->GetAnnotation(effect, handle, n),
                      step(next, sizeof next, address, "@%u", n), 1);
    for (n = 0; n < is.Passes; n++)
        say_pass(effect, effect->lpVtbl->GetPass(effect, handle, n), step(next, sizeof next, address, "/pass%u", n));
}

static void say_effect(ID3DXEffect *effect) {
    D3DXEFFECT_DESC is;
    char address[64];
    UINT n;
    if (FAILED(effect->lpVtbl->GetDesc(effect, &is))) {
        puts("effect FAILED");
        return;
    }
    printf("effect %u %u\n", is.Parameters, is.Techniques);
    for (n = 0; n < is.Parameters; n++)
        say_parameter(effect, effect->lpVtbl->GetParameter(effect, NULL, n),
                      step(address, sizeof address, "", "param%u", n), 0);
    for (n = 0; n < is.Techniques; n++)
        say_technique(effect, effect->lpVtbl->GetTechnique(effect, n),
                      step(address, sizeof address, "", "technique%u", n));
}

int main(int argc, char **argv) {
    static char line[4096], bytes[1 << 24], out[1 << 16];
    HMODULE dll = argc > 1 ? LoadLibraryA(argv[1]) : NULL;
    create_effect = dll ? (CreateEffect)(void *)GetProcAddress(dll, "D3DXCreateEffect") : NULL;
    shader_size = dll ? (ShaderSize)(void *)GetProcAddress(dll, "D3DXGetShaderSize") : NULL;
    if (!create_effect || !shader_size) {
        fprintf(stderr, "no D3DXCreateEffect\n");
        return 1;
    }
    make_device();
    setvbuf(stdout, out, _IOFBF, sizeof out);
    while (fgets(line, sizeof line, stdin)) {
        ID3DXEffect *effect = NULL;
        ID3DXBuffer *said = NULL;
        HRESULT result;
        size_t size;
        FILE *file;
        line[strcspn(line, "\r\n")] = 0;
        if (!(file = fopen(line, "rb"))) {
            fprintf(stderr, "%s cannot be read\n", line);
            return 1;
        }
        size = fread(bytes, 1, sizeof bytes, file);
        if (size == sizeof bytes) {
            fprintf(stderr, "%s has 16 MiB or more\n", line);
            return 1;
        }
        fclose(file);
        result = create_effect(&device, bytes, size, NULL, NULL, 0, NULL, &effect, &said);
        printf("%s %08lx\n", SUCCEEDED(result) && effect ? "OK" : "FAIL", (unsigned long)result);
        if (said)
            said->lpVtbl->Release(said);
        if (SUCCEEDED(result) && effect) {
            say_effect(effect);
            effect->lpVtbl->Release(effect);
        }
        puts("END");
        fflush(stdout);
    }
    return 0;
}
