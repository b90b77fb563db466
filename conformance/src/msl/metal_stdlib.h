// Metal's library as C++14, as far as the texts of `vecasm to msl` use it: enough for a compiler of C++ to check their
// types, and to run those that read no texture. What MSL does not convert, this does not convert either: vectors of different
// types do not mix, and a vector is made from a scalar or from as many lanes as it has.
//
// SWIZZLES2, SWIZZLES3 and SWIZZLES4 are replaced by all members of a vector with more than one lane (see mod.rs).
#pragma once

#define vertex
#define fragment
#define kernel
#define constant const
#define device
#define thread
#define threadgroup

namespace metal {

typedef unsigned int uint;

template<class T, int N> struct vec;

// Some lanes of a vector of N.
template<class R, class T, int N, int... I> struct swizzle {
    T v[N];
    operator R() const { return R(v[I]...); }
};

template<class A> struct lanes { enum { count = 1 }; };
template<class T, int N> struct lanes<vec<T, N>> { enum { count = N }; };
template<class R, class T, int N, int... I> struct lanes<swizzle<R, T, N, I...>> { enum { count = sizeof...(I) }; };

template<class T> T plain(T const &a) { return a; }
template<class R, class T, int N, int... I> R plain(swizzle<R, T, N, I...> const &a) { return a; }

template<class T> struct members2 {
    union {
        struct { T x, y; };
        T v[2];
        SWIZZLES2
    };
};
template<class T> struct members3 {
    union {
        struct { T x, y, z; };
        T v[3];
        SWIZZLES3
    };
};
template<class T> struct members4 {
    union {
        struct { T x, y, z, w; };
        T v[4];
        SWIZZLES4
    };
};
template<class T, int N> struct members;
template<class T> struct members<T, 2> : members2<T> {};
template<class T> struct members<T, 3> : members3<T> {};
template<class T> struct members<T, 4> : members4<T> {};

constexpr int total() { return 0; }
template<class... M> constexpr int total(int a, M... more) { return a + total(more...); }

template<class T, int N> struct vec : members<T, N> {
    typedef vec<bool, N> Bools;

    vec() {}
    template<class... A> explicit vec(A const &...a) {
        static_assert(total(lanes<A>::count...) == N || (sizeof...(A) == 1 && total(lanes<A>::count...) == 1),
                      "as many lanes as the vector has, or one");
        int n = 0;
        int done[] = {(put(n, plain(a)), 0)...};
        (void)done;
        for (; n < N; n++) this->v[n] = this->v[0];
    }
    template<class S> void put(int &n, S const &a) { this->v[n++] = static_cast<T>(a); }
    template<class S, int M> void put(int &n, vec<S, M> const &a) {
        for (int i = 0; i < M; i++) this->v[n++] = static_cast<T>(a.v[i]);
    }

    T &operator[](int i) { return this->v[i]; }
    T operator[](int i) const { return this->v[i]; }

#define EACH(R, expression) { R r; for (int i = 0; i < N; i++) r.v[i] = expression; return r; }
#define BINARY(R, op)                                                         \
    friend R operator op(vec a, vec b) EACH(R, a.v[i] op b.v[i])              \
    friend R operator op(vec a, T b) EACH(R, a.v[i] op b)                     \
    friend R operator op(T a, vec b) EACH(R, a op b.v[i])
    BINARY(vec, +)
    BINARY(vec, -)
    BINARY(vec, *)
    BINARY(vec, /)
    BINARY(vec, %)
    BINARY(vec, &)
    BINARY(vec, |)
    BINARY(vec, ^)
    BINARY(Bools, <)
    BINARY(Bools, <=)
    BINARY(Bools, >)
    BINARY(Bools, >=)
    BINARY(Bools, ==)
    BINARY(Bools, !=)
#undef BINARY
    friend vec operator<<(vec a, vec<uint, N> b) EACH(vec, a.v[i] << b.v[i])
    friend vec operator>>(vec a, vec<uint, N> b) EACH(vec, a.v[i] >> b.v[i])
    friend vec operator<<(vec a, uint b) EACH(vec, a.v[i] << b)
    friend vec operator>>(vec a, uint b) EACH(vec, a.v[i] >> b)
    friend vec operator-(vec a) EACH(vec, -a.v[i])
    friend vec operator~(vec a) EACH(vec, ~a.v[i])
    friend Bools operator!(vec a) EACH(Bools, !a.v[i])
#undef EACH
};

#define TYPES(name, T)           \
    typedef vec<T, 2> name##2;   \
    typedef vec<T, 3> name##3;   \
    typedef vec<T, 4> name##4;
TYPES(float, float)
TYPES(int, int)
TYPES(uint, unsigned int)
TYPES(bool, bool)
#undef TYPES

template<class To, class From> To as_type(From const &from) {
    auto a = plain(from);
    static_assert(sizeof(To) == sizeof(a), "as many bits");
    To to;
    __builtin_memcpy((void *)&to, (const void *)&a, sizeof to);
    return to;
}

// Functions of one to three values of a type, for each number of lanes.
#define LANES1(R, T, name)                                                                                    \
    inline R##2 name(T##2 a) { return R##2(name(a.x), name(a.y)); }                                           \
    inline R##3 name(T##3 a) { return R##3(name(a.x), name(a.y), name(a.z)); }                                \
    inline R##4 name(T##4 a) { return R##4(name(a.x), name(a.y), name(a.z), name(a.w)); }
#define LANES2(T, name)                                                                                       \
    inline T##2 name(T##2 a, T##2 b) { return T##2(name(a.x, b.x), name(a.y, b.y)); }                         \
    inline T##3 name(T##3 a, T##3 b) { return T##3(name(a.x, b.x), name(a.y, b.y), name(a.z, b.z)); }         \
    inline T##4 name(T##4 a, T##4 b) {                                                                        \
        return T##4(name(a.x, b.x), name(a.y, b.y), name(a.z, b.z), name(a.w, b.w));                          \
    }
#define LANES3(T, C, name)                                                                                    \
    inline T##2 name(T##2 a, T##2 b, C##2 c) { return T##2(name(a.x, b.x, c.x), name(a.y, b.y, c.y)); }       \
    inline T##3 name(T##3 a, T##3 b, C##3 c) {                                                                \
        return T##3(name(a.x, b.x, c.x), name(a.y, b.y, c.y), name(a.z, b.z, c.z));                           \
    }                                                                                                         \
    inline T##4 name(T##4 a, T##4 b, C##4 c) {                                                                \
        return T##4(name(a.x, b.x, c.x), name(a.y, b.y, c.y), name(a.z, b.z, c.z), name(a.w, b.w, c.w));      \
    }

inline float abs(float x) { return __builtin_fabsf(x); }
inline float floor(float x) { return __builtin_floorf(x); }
inline float ceil(float x) { return __builtin_ceilf(x); }
inline float trunc(float x) { return __builtin_truncf(x); }
inline float rint(float x) { return __builtin_rintf(x); }
LANES1(float, float, abs)
LANES1(float, float, floor)
LANES1(float, float, ceil)
LANES1(float, float, trunc)
LANES1(float, float, rint)
inline float fract(float x) { return __builtin_fminf(x - __builtin_floorf(x), 0.99999994f); }
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LANES3(float, float, fma)
inline float clamp(float x, float low, float high) { return __builtin_fminf(__builtin_fmaxf(x, low), high); }

// Those that MSL has twice stand in `precise` only: the texts must not mean the others.
namespace precise {
#define ROUNDED(name, expression)                                     \
    inline float name(float a) { double x = a; return expression; }   \
    LANES1(float, float, name)
ROUNDED(rsqrt, 1.0L / __builtin_sqrtl(x))
ROUNDED(sqrt, __builtin_sqrtl(x))
ROUNDED(exp2, __builtin_exp2l(x))
ROUNDED(log2, __builtin_log2l(x))
ROUNDED(sin, __builtin_sinl(x))
ROUNDED(cos, __builtin_cosl(x))
#undef ROUNDED
inline float pow(float a, float b) { return __builtin_powl(a, b); }
LANES2(float, pow)
inline float min(float a, float b) { return b < a || a != a ? b : a; }
inline float max(float a, float b) { return b > a || a != a ? b : a; }
LANES2(float, min)
LANES2(float, max)
inline float clamp(float x, float low, float high) { return min(max(x, low), high); }
LANES3(float, float, clamp)
inline float saturate(float x) { return clamp(x, 0.0f, 1.0f); }
LANES1(float, float, saturate)
}
// In helpers, where no NaN comes.
inline float min(float a, float b) { return b < a ? b : a; }

#define INTEGERS(T)                                                                      \
    inline T min(T a, T b) { return b < a ? b : a; }                                     \
    inline T max(T a, T b) { return b > a ? b : a; }                                     \
    inline T clamp(T x, T low, T high) { return min(max(x, low), high); }                \
    inline T mulhi(T a, T b) { return (T)((Wide_##T)a * (Wide_##T)b >> 32); }            \
    inline T reverse_bits(T x) {                                                         \
        uint r = 0;                                                                      \
        for (int i = 0; i < 32; i++) r |= ((uint)x >> i & 1u) << (31 - i);               \
        return (T)r;                                                                     \
    }                                                                                    \
    LANES1(T, T, reverse_bits)                                                           \
    LANES2(T, min)                                                                       \
    LANES2(T, max)                                                                       \
    LANES2(T, mulhi)                                                                     \
    LANES3(T, T, clamp)                                                                  \
    inline T extract_bits(T x, uint offset, uint bits) {                                 \
        return bits == 0 ? 0 : (T)((uint)x << (32 - offset - bits)) >> (32 - bits);      \
    }                                                                                    \
    inline T insert_bits(T x, T y, uint offset, uint bits) {                             \
        uint mask = bits == 0 ? 0 : (0xffffffffu >> (32 - bits)) << offset;              \
        return (T)(((uint)x & ~mask) | ((uint)y << offset & mask));                      \
    }                                                                                    \
    inline T##2 extract_bits(T##2 x, uint o, uint n) {                                   \
        return T##2(extract_bits(x.x, o, n), extract_bits(x.y, o, n));                   \
    }                                                                                    \
    inline T##3 extract_bits(T##3 x, uint o, uint n) {                                   \
        return T##3(extract_bits(x.xy, o, n), extract_bits(x.z, o, n));                  \
    }                                                                                    \
    inline T##4 extract_bits(T##4 x, uint o, uint n) {                                   \
        return T##4(extract_bits(x.xyz, o, n), extract_bits(x.w, o, n));                 \
    }                                                                                    \
    inline T##2 insert_bits(T##2 x, T##2 y, uint o, uint n) {                            \
        return T##2(insert_bits(x.x, y.x, o, n), insert_bits(x.y, y.y, o, n));           \
    }                                                                                    \
    inline T##3 insert_bits(T##3 x, T##3 y, uint o, uint n) {                            \
        return T##3(insert_bits(x.xy, y.xy, o, n), insert_bits(x.z, y.z, o, n));         \
    }                                                                                    \
    inline T##4 insert_bits(T##4 x, T##4 y, uint o, uint n) {                            \
        return T##4(insert_bits(x.xyz, y.xyz, o, n), insert_bits(x.w, y.w, o, n));       \
    }
typedef long long Wide_int;
typedef unsigned long long Wide_uint;
INTEGERS(int)
INTEGERS(uint)

#define CHOICES(T)                                                       \
    inline T select(T no, T yes, bool by) { return by ? yes : no; }      \
    LANES3(T, bool, select)
CHOICES(float)
CHOICES(int)
CHOICES(uint)

inline bool all(bool2 a) { return a.x && a.y; }
inline bool all(bool3 a) { return a.x && a.y && a.z; }
inline bool all(bool4 a) { return a.x && a.y && a.z && a.w; }
inline bool any(bool2 a) { return a.x || a.y; }
inline bool any(bool3 a) { return a.x || a.y || a.z; }
inline bool any(bool4 a) { return a.x || a.y || a.z || a.w; }
inline float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
inline float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

// Of what follows only the types are checked: no text that uses it is run, but for samples of unbound textures.
inline float dfdx(float) { return 0.0f; }
inline float dfdy(float) { return 0.0f; }
LANES1(float, float, dfdx)
LANES1(float, float, dfdy)
inline float2 get_sample_position(uint) { return float2(0.0f); }

static bool discarded;
inline void discard_fragment() { discarded = true; }
inline bool simd_is_helper_thread() { return false; }

struct atomic_uint { uint value; };
enum memory_order { memory_order_relaxed };
inline uint atomic_load_explicit(const atomic_uint *a, memory_order) { return a->value; }
inline void atomic_store_explicit(atomic_uint *a, uint v, memory_order) { a->value = v; }
#define CHANGES(name, expression)                                             \
    inline uint atomic_##name##_explicit(atomic_uint *a, uint v, memory_order) { \
        uint old = a->value;                                                  \
        a->value = expression;                                                \
        return old;                                                           \
    }
CHANGES(exchange, v)
CHANGES(fetch_add, old + v)
CHANGES(fetch_min, min(old, v))
CHANGES(fetch_max, max(old, v))
CHANGES(fetch_and, old & v)
CHANGES(fetch_or, old | v)
CHANGES(fetch_xor, old ^ v)
inline bool atomic_compare_exchange_weak_explicit(atomic_uint *a, uint *old, uint v, memory_order, memory_order) {
    bool same = a->value == *old;
    *old = a->value;
    if (same) a->value = v;
    return same;
}
enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };
inline mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags((int)a | (int)b); }
inline void threadgroup_barrier(mem_flags) {}

struct sampler {};
struct bias { explicit bias(float) {} };
struct level { explicit level(float) {} };
struct gradient2d { gradient2d(float2, float2) {} };
struct gradient3d { gradient3d(float3, float3) {} };
struct gradientcube { gradientcube(float3, float3) {} };
enum class component { x, y, z, w };
enum class access { sample, read, write, read_write };

template<class T> vec<T, 4> unbound() { return vec<T, 4>(0, 0, 0, 1); }

// The place as it is written in the arguments, with the layer.
#define PLAIN(P) P
#define LAYERED(P) P, uint
#define LEVEL_OF(P) \
    float calculate_clamped_lod(sampler, P) const { return 0; } \
    float calculate_unclamped_lod(sampler, P) const { return 0; }
#define SAMPLES(P, Place, gradient) \
    LEVEL_OF(P) \
    vec<T, 4> sample(sampler, Place(P)) const { return unbound<T>(); } \
    vec<T, 4> sample(sampler, Place(P), bias) const { return unbound<T>(); } \
    vec<T, 4> sample(sampler, Place(P), level) const { return unbound<T>(); } \
    vec<T, 4> sample(sampler, Place(P), gradient) const { return unbound<T>(); }
#define SAMPLES_OFFSET(P, I, Place, gradient) \
    vec<T, 4> sample(sampler, Place(P), I) const { return unbound<T>(); } \
    vec<T, 4> sample(sampler, Place(P), bias, I) const { return unbound<T>(); } \
    vec<T, 4> sample(sampler, Place(P), level, I) const { return unbound<T>(); } \
    vec<T, 4> sample(sampler, Place(P), gradient, I) const { return unbound<T>(); }
#define COMPARES(P, Place) \
    LEVEL_OF(P) \
    T sample_compare(sampler, Place(P), float) const { return 0; } \
    T sample_compare(sampler, Place(P), float, level) const { return 0; } \
    vec<T, 4> gather_compare(sampler, Place(P), float) const { return unbound<T>(); }
#define COMPARES_OFFSET(P, Place) \
    T sample_compare(sampler, Place(P), float, int2) const { return 0; } \
    T sample_compare(sampler, Place(P), float, level, int2) const { return 0; } \
    vec<T, 4> gather_compare(sampler, Place(P), float, int2) const { return unbound<T>(); }
#define WIDTH(Lod) uint get_width(Lod) const { return 0; }
#define AREA(Lod) WIDTH(Lod) uint get_height(Lod) const { return 0; }
#define VOLUME(Lod) AREA(Lod) uint get_depth(Lod) const { return 0; }
#define FENCE void fence() const {}
#define LEVELS uint get_num_mip_levels() const { return 0; }
#define LAYERS uint get_array_size() const { return 0; }
#define SAMPLED uint get_num_samples() const { return 0; }
#define TEXTURE template<class T, access A = access::sample> struct
#define LOD uint lod = 0

TEXTURE texture1d {
    FENCE
    WIDTH()
    vec<T, 4> sample(sampler, float) const { return unbound<T>(); }
    vec<T, 4> read(uint) const { return unbound<T>(); }
    void write(vec<T, 4>, uint) const {}
};
TEXTURE texture1d_array {
    FENCE
    WIDTH()
    LAYERS
    vec<T, 4> sample(sampler, float, uint) const { return unbound<T>(); }
    vec<T, 4> read(uint, uint) const { return unbound<T>(); }
    void write(vec<T, 4>, uint, uint) const {}
};
TEXTURE texture2d {
    FENCE
    AREA(LOD)
    LEVELS
    SAMPLES(float2, PLAIN, gradient2d)
    SAMPLES_OFFSET(float2, int2, PLAIN, gradient2d)
    vec<T, 4> gather(sampler, float2, int2, component) const { return unbound<T>(); }
    vec<T, 4> read(uint2, LOD) const { return unbound<T>(); }
    void write(vec<T, 4>, uint2, LOD) const {}
};
TEXTURE texture2d_array {
    FENCE
    AREA(LOD)
    LEVELS
    LAYERS
    SAMPLES(float2, LAYERED, gradient2d)
    SAMPLES_OFFSET(float2, int2, LAYERED, gradient2d)
    vec<T, 4> gather(sampler, float2, uint, int2, component) const { return unbound<T>(); }
    vec<T, 4> read(uint2, uint, LOD) const { return unbound<T>(); }
    void write(vec<T, 4>, uint2, uint, LOD) const {}
};
TEXTURE texture3d {
    FENCE
    VOLUME(LOD)
    LEVELS
    SAMPLES(float3, PLAIN, gradient3d)
    SAMPLES_OFFSET(float3, int3, PLAIN, gradient3d)
    vec<T, 4> read(uint3, LOD) const { return unbound<T>(); }
    void write(vec<T, 4>, uint3, LOD) const {}
};
TEXTURE texturecube {
    AREA(LOD)
    LEVELS
    SAMPLES(float3, PLAIN, gradientcube)
    vec<T, 4> gather(sampler, float3, component) const { return unbound<T>(); }
};
TEXTURE texturecube_array {
    AREA(LOD)
    LEVELS
    LAYERS
    SAMPLES(float3, LAYERED, gradientcube)
    vec<T, 4> gather(sampler, float3, uint, component) const { return unbound<T>(); }
};
TEXTURE texture2d_ms {
    AREA()
    SAMPLED
    vec<T, 4> read(uint2, uint) const { return unbound<T>(); }
};
TEXTURE texture2d_ms_array {
    AREA()
    SAMPLED
    LAYERS
    vec<T, 4> read(uint2, uint, uint) const { return unbound<T>(); }
};
TEXTURE texture_buffer {
    FENCE
    WIDTH()
    vec<T, 4> read(uint) const { return unbound<T>(); }
    void write(vec<T, 4>, uint) const {}
};
TEXTURE depth2d {
    AREA(LOD)
    LEVELS
    COMPARES(float2, PLAIN)
    COMPARES_OFFSET(float2, PLAIN)
    T read(uint2, LOD) const { return 0; }
};
TEXTURE depth2d_array {
    AREA(LOD)
    LEVELS
    LAYERS
    COMPARES(float2, LAYERED)
    COMPARES_OFFSET(float2, LAYERED)
    T read(uint2, uint, LOD) const { return 0; }
};
TEXTURE depthcube {
    AREA(LOD)
    LEVELS
    COMPARES(float3, PLAIN)
};
TEXTURE depthcube_array {
    AREA(LOD)
    LEVELS
    LAYERS
    COMPARES(float3, LAYERED)
};
TEXTURE depth2d_ms {
    AREA()
    SAMPLED
    T read(uint2, uint) const { return 0; }
};

}
