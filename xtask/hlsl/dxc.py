"""Compiles HLSL with DirectX Shader Compiler: `dxc.py LIBRARY`, where LIBRARY is libdxcompiler.so.

Each line of the standard input is a profile and a file with a space between them. For each one come a line `OK` or
`FAIL`, what the compiler says, and a line `END`. The interface is IDxcCompiler3 of dxcapi.h.
"""

import ctypes
import sys
import uuid

P = ctypes.c_void_p
# Outside Windows an interface has two destructors behind Release.
COMPILE, STATUS, ERRORS, POINTER, SIZE, RELEASE = 5, 5, 7, 5, 6, 2


def guid(text):
    return (ctypes.c_ubyte * 16).from_buffer_copy(uuid.UUID(text).bytes_le)


COMPILER = guid("73e22d93-e6ce-47f3-b5bf-f0664f39c1b0")
COMPILER_3 = guid("228b4687-5a6a-4730-900c-9702b2203f54")
RESULT = guid("58346cda-dde7-4497-9461-6f87af5e0659")


class Buffer(ctypes.Structure):
    _fields_ = [("pointer", P), ("size", ctypes.c_size_t), ("encoding", ctypes.c_uint)]


def call(of, number, *args, gives=ctypes.c_int):
    table = ctypes.cast(of, ctypes.POINTER(P))[0]
    function = ctypes.cast(table, ctypes.POINTER(P))[number]
    return ctypes.CFUNCTYPE(gives, P, *[type(arg) for arg in args])(function)(of, *args)


def to(thing):
    return ctypes.cast(ctypes.pointer(thing), P)


def compile(compiler, source, arguments):
    buffer = Buffer(ctypes.cast(ctypes.c_char_p(source), P), len(source), 65001)
    arguments = (ctypes.c_wchar_p * len(arguments))(*arguments)
    result = P()
    count = ctypes.c_uint(len(arguments))
    iid = ctypes.cast(RESULT, P)
    if call(compiler, COMPILE, to(buffer), ctypes.cast(arguments, P), count, P(), iid, to(result)):
        return False, "no result"
    status, errors = ctypes.c_int(), P()
    call(result, STATUS, to(status))
    call(result, ERRORS, to(errors))
    said = ""
    if errors:
        pointer, size = call(errors, POINTER, gives=P), call(errors, SIZE, gives=ctypes.c_size_t)
        if pointer and size:
            said = ctypes.string_at(pointer, size).decode("utf-8", "replace").rstrip("\0")
        call(errors, RELEASE)
    call(result, RELEASE)
    return status.value == 0, said


def main():
    library = ctypes.CDLL(sys.argv[1])
    compiler = P()
    if library.DxcCreateInstance(COMPILER, COMPILER_3, ctypes.byref(compiler)):
        sys.exit("no IDxcCompiler3")
    for line in sys.stdin:
        profile, path = line.split()
        with open(path, "rb") as file:
            source = file.read()
        fine, said = compile(compiler, source, ["-T", profile, "-E", "main", "-HV", "2021"])
        print("OK" if fine else "FAIL")
        print(said)
        print("END", flush=True)


main()
