#!/usr/bin/env bash
# Puts the judges of HLSL, and that of effects, into the folder $1: what can be had of them; a line says what cannot.
#
# libdxcompiler.so    DirectX Shader Compiler, as the source package of compushady on PyPI carries it
# d3dcompile.exe      a program around D3DCompile, run by wine, with two DLLs of a Wine whose compiler (vkd3d-shader 1.14)
#                     knows all of Direct3D 9: d3dcompiler_47.dll and wined3d.dll of Debian 13, if this Wine is older
# vkd3d/vkd3d-compiler  that compiler as a program of Linux, 2.1 or later, with the C library that it wants: it writes byte
#                     code of Direct3D 9 with computed indexes, which is run
# d3dxeffect.exe      a program around D3DXCreateEffect of this Wine, which says what is in effects
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && cd "$1" || exit 1

dxc() {
    [ -e libdxcompiler.so ] && return
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: --dest pip compushady==0.17.5 || return
    tar xzf pip/compushady-0.17.5.tar.gz --strip-components 3 --wildcards "*/libdxcompiler_$(uname -m).so.*" || return
    mv "libdxcompiler_$(uname -m)".so.* libdxcompiler.so && rm -r pip
}

wine() {
    [ -e d3dcompile.exe ] && return
    local apt="-o Dir::Etc::sourcelist=$PWD/apt/list -o Dir::Etc::sourceparts=/dev/null"
    apt="$apt -o Dir::State::lists=$PWD/apt/lists -o Dir::Cache=$PWD/apt/cache"
    local dlls=usr/lib/x86_64-linux-gnu/wine/x86_64-windows
    [ "$(id -u)" = 0 ] && [ "$(uname -m)" = x86_64 ] || return
    apt-get -qq update && apt-get -qq install --yes --no-install-recommends wine64 libwine gcc-mingw-w64-x86-64 || return
    mkdir -p apt/lists/partial apt/cache/archives/partial
    echo "deb http://deb.debian.org/debian trixie main" > apt/list
    # shellcheck disable=SC2086
    (apt-get -qq $apt update && cd apt && apt-get -qq $apt download libwine/trixie) || return
    dpkg-deb --fsys-tarfile apt/libwine_*.deb | tar x "./$dlls/d3dcompiler_47.dll" "./$dlls/wined3d.dll" || return
    # Without Wine's mark they are DLLs of a program, and go before those of this Wine.
    sed 's/Wine builtin DLL/\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0/' $dlls/d3dcompiler_47.dll > d3dc.dll
    sed 's/Wine builtin DLL/\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0\x0/' $dlls/wined3d.dll > wined3d.dll
    rm -r usr apt
    x86_64-w64-mingw32-gcc -O1 "$here/d3dcompile.c" -o d3dcompile.exe
}

# It is compiled anew where its source is newer.
d3dx() {
    [ d3dxeffect.exe -nt "$here/d3dxeffect.c" ] && return
    if ! command -v x86_64-w64-mingw32-gcc > /dev/null; then
        [ "$(id -u)" = 0 ] && [ "$(uname -m)" = x86_64 ] || return
        apt-get -qq update && apt-get -qq install --yes --no-install-recommends wine64 libwine gcc-mingw-w64-x86-64 || return
    fi
    x86_64-w64-mingw32-gcc -O1 "$here/d3dxeffect.c" -o d3dxeffect.exe
}

vkd3d() {
    [ -e vkd3d/vkd3d-compiler ] && return
    [ "$(uname -m)" = x86_64 ] || return
    mkdir -p vkd3d/lists/partial vkd3d/cache/archives/partial || return
    echo "deb http://deb.debian.org/debian sid main" > vkd3d/list
    local apt="-o Dir::Etc::sourcelist=$PWD/vkd3d/list -o Dir::Etc::sourceparts=/dev/null"
    apt="$apt -o Dir::State::lists=$PWD/vkd3d/lists -o Dir::Cache=$PWD/vkd3d/cache"
    # shellcheck disable=SC2086
    (cd vkd3d && apt-get -qq $apt update && apt-get -qq $apt download vkd3d-compiler libvkd3d-shader1 libc6) || return
    local deb
    for deb in vkd3d/*.deb; do dpkg-deb -x "$deb" vkd3d || return; done
    rm -r vkd3d/*.deb vkd3d/list vkd3d/lists vkd3d/cache vkd3d/usr/share
    local lib=usr/lib/x86_64-linux-gnu
    printf '#!/bin/sh\nhere=$(dirname "$0")\n' > vkd3d/start
    printf 'exec "$here/%s/ld-linux-x86-64.so.2" --library-path "$here/%s:/%s:/lib/x86_64-linux-gnu" ' $lib $lib $lib >> vkd3d/start
    printf '"$here/usr/bin/vkd3d-compiler" "$@"\n' >> vkd3d/start
    chmod +x vkd3d/start && mv vkd3d/start vkd3d/vkd3d-compiler
}

# Wine's own folder, made once and before anybody asks: workers that start together would each make it, over one another.
prefix() {
    local wine program="d3dcompile.exe d3dc.dll"
    [ -e d3dcompile.exe ] || program="d3dxeffect.exe d3dx9_43.dll"
    [ -e "${program%% *}" ] && [ ! -e prefix/made ] || return 0
    for wine in /usr/lib/wine/wine64 /usr/bin/wine64 /usr/bin/wine; do
        [ -e "$wine" ] && break
    done
    rm -rf prefix
    # shellcheck disable=SC2086
    WINEDEBUG=-all WINEPREFIX=$PWD/prefix WINEDLLOVERRIDES="wined3d=n,b;mscoree=;mshtml=" \
        timeout 300 "$wine" $program < /dev/null && touch prefix/made
}

dxc || echo "DirectX Shader Compiler cannot be had here"
wine || echo "a Wine with D3DCompile cannot be had here"
d3dx || echo "a Wine with D3DX cannot be had here"
prefix || echo "Wine cannot be started here"
vkd3d || echo "vkd3d-compiler cannot be had here"
