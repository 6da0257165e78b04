#!/usr/bin/env bash
# build.sh DEST makes TinyGo 0.39.0 for Go 1.26 in DEST, which must not exist, and
# installs nothing else, except (as root) a C++ compiler and shared libraries of LLVM's
# where they are missing.
# scripts/tinygo.sh calls it; the last line of output says what went wrong.
#
# TinyGo comes from its Go module, pinned by go.sum. LLVM 19, the linker, libc and
# wasm-opt come from Debian's signed packages, unpacked into DEST. This TinyGo knows Go
# up to 1.25, and its module lacks what upstream keeps in git submodules; so it is
# patched below, and what it compiles must be tested.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
dest=$(realpath -m "$1")
module=github.com/tinygo-org/tinygo
debian=$dest/debian # unpacked packages
root=$dest/tinygo   # TinyGo's tree; the compiler in its bin folder finds it by itself
unset GOOS GOARCH GOFLAGS
export CGO_ENABLED=1 GOWORK=off
mkdir -p "$debian" "$dest/debs" "$dest/build" "$dest/bin"

# install_missing PACKAGE installs a package that the machine lacks.
install_missing() {
	dpkg -s "$1" >/dev/null 2>&1 && return
	[ "$(id -u)" = 0 ] || {
		echo "the Debian package $1 is missing"
		exit 1
	}
	apt-get install -qy --no-install-recommends -o DPkg::Lock::Timeout=300 "$1"
}

# --- packages -----------------------------------------------------------------------
packages=(
	llvm-19-dev libllvm19 libclang-19-dev libclang1-19 libclang-cpp19 clang-19 lld-19
	wasi-libc libclang-rt-19-dev-wasm32 binaryen
)
# A fresh image has no package lists.
if ! apt-cache show "${packages[@]}" >/dev/null 2>&1; then
	[ "$(id -u)" != 0 ] || apt-get update -q
	apt-cache show "${packages[@]}" >/dev/null || {
		echo "Debian's packages of LLVM 19 are not to be had (apt-get update as root may help)"
		exit 1
	}
fi
for package in g++ libz3-4 libedit2 libxml2; do install_missing "$package"; done
(cd "$dest/debs" && apt-get download -q -o APT::Sandbox::User="$(id -un)" "${packages[@]}")
for deb in "$dest"/debs/*.deb; do
	# LLVM's static libraries are 500 MB that nothing here links.
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$debian" \
		--exclude='libLLVM*.a' --exclude='libclang[A-Z]*.a' --exclude='./usr/share'
done
rm -r "$dest/debs"
llvm=$debian/usr/lib/llvm-19
multiarch=usr/lib/$(gcc -print-multiarch)

# --- source -------------------------------------------------------------------------
# The download is checked against go.sum; the build then uses a patched copy.
cp "$here/go.mod" "$here/go.sum" "$dest/build/"
cd "$dest/build"
go mod download "$module"
mkdir "$root"
source=$(go list -m -f '{{.Dir}}' "$module")
tar -c -C "$source" --exclude='./testdata' --exclude='./tests' . | tar -x --mode=u+w -C "$root" --no-same-permissions
chmod -R u+w "$root"

# patch_file FILE SED EXPECTED edits a file and insists on the result: sed is silent when
# nothing matches.
patch_file() {
	sed -i "$2" "$root/$1"
	grep -qF -- "$3" "$root/$1" || {
		echo "the patch of $1 does not apply"
		exit 1
	}
}
patch_file builder/config.go 's/minorMax = 25/minorMax = 26/' 'minorMax = 26'
# Packages that Go 1.26 dropped or grew are in tree/; the loader must be told of a new one.
cp -r "$here/tree/." "$root/"
patch_file loader/goroot.go '/"internal\/gclayout":/a "internal/itoa/": false, "crypto/internal/": true, "crypto/internal/constanttime/": false,' '"crypto/internal/constanttime/"'
# Upstream's net package, libc and compiler-rt are submodules. An empty net satisfies the
# compiler (there is no net/http); Debian's archives stand in for the others.
mkdir -p "$root/src/net" "$root/lib/debian"
cp "$debian/usr/lib/wasm32-wasi/libc.a" "$llvm/lib/clang/19/lib/wasi/libclang_rt.builtins-wasm32.a" "$root/lib/debian/"
for target in wasip1 wasm; do
	# Without an exported __wasm_call_ctors the linker wraps every export with
	# constructors and destructors, which pulls in stdio.
	patch_file "targets/$target.json" '
		/"libc":/d; /"rtlib":/d; /gc_boehm/d
		s|"src/runtime/asm_tinygowasm.S",|"src/runtime/asm_tinygowasm.S"|
		s|"ldflags": \[|&"--export=__wasm_call_ctors", "-L{root}/lib/debian", "-lc", "{root}/lib/debian/libclang_rt.builtins-wasm32.a",|
	' lib/debian
done

# --- build --------------------------------------------------------------------------
go mod edit -replace "$module=$root"
CGO_CPPFLAGS="-I$debian/usr/include/llvm-19 -I$debian/usr/include/llvm-c-19 -I$llvm/include" \
	CGO_LDFLAGS="-L$llvm/lib -L$debian/$multiarch -Wl,-rpath,\$ORIGIN/../../debian/$multiarch" \
	go build -tags llvm19 -trimpath -ldflags='-s -w' -o "$root/bin/tinygo" "$module"

# --- what stays ---------------------------------------------------------------------
cd "$dest"
rm -r build "$debian/usr/include" "$llvm/include" "$llvm/lib/cmake" "$llvm/lib/clang"
find "$debian/usr/bin" -type f,l ! -name wasm-opt -delete
cat >"$dest/bin/tinygo" <<'S'
#!/bin/sh
# TinyGo with the linker, wasm-opt and the cache of this folder.
top=$(dirname "$(dirname "$(readlink -f "$0")")")
PATH=$top/debian/usr/lib/llvm-19/bin:$PATH
WASMOPT=$top/debian/usr/bin/wasm-opt
XDG_CACHE_HOME=$top/cache
# An inherited TINYGOROOT belongs to another TinyGo.
unset TINYGOROOT
export PATH WASMOPT XDG_CACHE_HOME
exec "$top/tinygo/bin/tinygo" "$@"
S
chmod +x "$dest/bin/tinygo"
