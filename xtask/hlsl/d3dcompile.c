/* Compiles HLSL with D3DCompile of the DLL in the first argument. Each line of the standard input is a profile, a file, and
   a file for the byte code, with spaces between them. For each one come a line OK or FAIL, what the compiler says, and a
   line END. */
#include <d3dcompiler.h>
#include <stdio.h>
#include <windows.h>

int main(int argc, char **argv) {
    static char line[4096], source[1 << 24];
    HMODULE dll = argc > 1 ? LoadLibraryA(argv[1]) : NULL;
    pD3DCompile compile = dll ? (pD3DCompile)(void *)GetProcAddress(dll, "D3DCompile") : NULL;
    if (!compile) {
        fprintf(stderr, "no D3DCompile\n");
        return 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        char profile[32], from[1024], to[1024];
        ID3DBlob *code = NULL, *said = NULL;
        FILE *file;
        size_t size;
        HRESULT result;
        if (sscanf(line, "%31s %1023s %1023s", profile, from, to) != 3 || !(file = fopen(from, "rb")))
            return 1;
        size = fread(source, 1, sizeof source, file);
        fclose(file);
        result = compile(source, size, "main.hlsl", NULL, NULL, "main", profile, 0, 0, &code, &said);
        puts(SUCCEEDED(result) && code ? "OK" : "FAIL");
        if (SUCCEEDED(result) && code && (file = fopen(to, "wb"))) {
            fwrite(code->lpVtbl->GetBufferPointer(code), 1, code->lpVtbl->GetBufferSize(code), file);
            fclose(file);
        }
        if (said)
            puts(said->lpVtbl->GetBufferPointer(said));
        puts("END");
        fflush(stdout);
        if (code)
            code->lpVtbl->Release(code);
        if (said)
            said->lpVtbl->Release(said);
    }
    return 0;
}
