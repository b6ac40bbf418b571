/* All pairs of two sets of points, or of one: the tilings and outputs of
 * Pitaksirianan, Nouri & Tu, "2-Body Statistics on GPUs", as templates that the
 * built-in kernels (pairs.cu) and generated ones share.
 *
 * A pair function F says what a point is and puts a pair into a bin:
 *
 *   Real                  float or double
 *   Code                  what a pair gives: the number of a counter, or a value
 *   QUERY, DATA           columns of a query and of a data point
 *   DYNAMIC               whether only the first p.dim of those columns exist
 *   SURE                  whether guess() never leaves doubt
 *   BIAS                  codes are the number of a counter plus this
 *   query(p), data(p)     columns [QUERY][p.query_stride], [DATA][p.data_stride]
 *   guess(p, a, b, i, j, doubt)  the code of query i, whose columns are a, and
 *                         data point j, whose columns are b
 *   size(doubt)           more than p.near: the guess may be wrong
 *   settle(p, code, doubt, i, j)  the right code then
 *
 * Counters are numbered by the edges <= the value: 0 is below the first edge.
 * Predicates put pairs into 0 and 1.
 *
 * Corrections to the paper's listings: a barrier stands on both sides of a
 * tile's reload (algorithms 2, 3); all counters are written out, not one a
 * thread (3); the pool's end is checked (5); the pairs inside a block are there
 * with shuffles too (6). */
#ifndef SKYJOIN_PAIRS_CUH
#define SKYJOIN_PAIRS_CUH

#include "common.cuh"

/* How the pairs of a launch are met. */
enum {
	PAIRS_CROSS = 0,   /* every query with every data point */
	PAIRS_HALF = 1,    /* queries and data are one set: each pair once */
	PAIRS_ORDERED = 2, /* one set: every point with every other */
	PAIRS_INSIDE = 3,  /* only the pairs inside blocks, to be timed alone; tiled kernels */
};

#define PAIRS_VECTOR 2 /* queries a thread holds, loaded one number at a time */
#define PAIRS_THREADS 512 /* at most, of a block */

struct PairsParams {
	const double *query, *data;           /* exact columns */
	const float *query_near, *data_near;  /* moved and scaled float32 columns */
	double side[MAX_DIM];                 /* of a periodic box, +Inf where open */
	float side_near[MAX_DIM];
	u64 *count;                           /* counters, added to */
	u64 *pairs;                           /* row of the query in the upper half, of the data point in the lower */
	u64 *cursor;                          /* direct buffer: places handed out, also beyond the end */
	u32 *found;                           /* two passes, counting: pairs of each thread */
	const u64 *offset;                    /* two passes, filling: where each thread's begin */
	const double *edge;                   /* of d², or of the value: edge[0..bins] */
	const float *edge_low, *edge_high;    /* near edges: below edge_low[k] is surely below edge k, from edge_high[k] on surely not */
	const u32 *start;                     /* counter that a key begins in */
	u64 *row_count;                       /* by query: true pairs */
	double *row_value;                    /* least or most, NaN before there is one */
	u32 *row_other;                       /* data point of it */
	long long *row_words;                 /* sums, SUM_WORDS each */
	u64 capacity;                         /* of pairs */
	double within;                        /* predicates: d² <= within */
	double value_low, value_inverse;      /* where edges are even: the bin is about (value - low)·inverse */
	float within_near;                    /* within, in near columns */
	float low;                            /* near, even bins: lower end in bins, less 1 */
	float top;                            /* near, even bins: bins + 1.5 */
	float near;                           /* how much doubt is none */
	u32 query_stride, data_stride;
	u32 queries, points;
	u32 dim;
	u32 bins;
	u32 first_key, last_key, shift;       /* of start */
	u32 copies;                           /* of the counters of a block: a power of two up to 32 */
	u32 tile;                             /* bytes of shared memory before the tiles */
	u32 page;                             /* places of a page of the pool, see published/pairs_tilings.cu */
	u32 query_row, data_row;              /* added to numbers of queries and data points */
	int mode;
	int balanced;                         /* pairs inside a block: each thread meets the half that follows it */
};

/* ---- arithmetic ---- */

__device__ static __forceinline__ float fast_rsqrt(float x) {
#ifdef SKYJOIN_EMULATOR
	return 1.0f / sqrtf(x);
#else
	float y;
	asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
#endif
}

template <class F>
__device__ static __forceinline__ bool has_column(const PairsParams &p, int c) { return !F::DYNAMIC || (u32)c < p.dim; }

template <int DIM>
struct Dimensions {
	enum { DYNAMIC = DIM == 0, COLUMNS = DIM == 0 ? MAX_DIM : DIM };
};

/* ---- pair functions ---- */

/* d² in column order, as on the CPU. */
template <int DIM, bool WRAP>
struct Exact {
	typedef double Real;
	typedef u32 Code;
	enum { DYNAMIC = Dimensions<DIM>::DYNAMIC, QUERY = Dimensions<DIM>::COLUMNS, DATA = QUERY, SURE = 1 };
	__device__ static __forceinline__ float size(float doubt) { return 0; }
	__device__ static __forceinline__ u32 settle(const PairsParams &p, u32 code, float doubt, u32 i, u32 j) { return code; }
	__device__ static const double *query(const PairsParams &p) { return p.query; }
	__device__ static const double *data(const PairsParams &p) { return p.data; }
	__device__ static __forceinline__ double squared(const PairsParams &p, const double (&a)[QUERY], const double (&b)[DATA]) {
		double sum = 0;
#pragma unroll
		for (int c = 0; c < QUERY; c++) {
			if (!has_column<Exact>(p, c)) break;
			double e = a[c] - b[c];
			if (WRAP) {
				e = e < 0 ? -e : e;
				double around = p.side[c] - e;
				e = around < e ? around : e;
			}
			sum += e * e;
		}
		return sum;
	}
	/* Of a pair whose near value does not decide. */
	__device__ static double again(const PairsParams &p, u32 i, u32 j) {
		double sum = 0;
		for (u32 c = 0; c < (DYNAMIC ? p.dim : (u32)QUERY); c++) {
			double e = p.query[(size_t)c * p.query_stride + i] - p.data[(size_t)c * p.data_stride + j];
			if (WRAP) {
				e = e < 0 ? -e : e;
				double around = p.side[c] - e;
				e = around < e ? around : e;
			}
			sum += e * e;
		}
		return sum;
	}
};

/* The number of edges <= v. */
__device__ static __forceinline__ u32 edges_below(const PairsParams &p, double v) {
	u32 lo = 0, hi = p.bins + 1;
	while (lo < hi) {
		u32 mid = (lo + hi) / 2;
		if (p.edge[mid] <= v) lo = mid + 1;
		else hi = mid;
	}
	return lo;
}

/* The same from a guess that is off by little. */
__device__ static __forceinline__ u32 edges_below(const PairsParams &p, double v, u32 guess) {
	while (guess <= p.bins && p.edge[guess] <= v) guess++;
	while (guess > 0 && p.edge[guess - 1] > v) guess--;
	return guess;
}

/* The counter of a value of any sign, p.edge being those of the bins and one of
 * +Inf: values at or above the last edge have the last counter but one, NaN the
 * last. */
__device__ static __forceinline__ u32 value_bin(const PairsParams &p, double v) {
	if (v != v) return p.bins + 1u;
	u32 at;
	if (p.value_inverse > 0) {
		double g = (v - p.value_low) * p.value_inverse;
		at = edges_below(p, v, g < 0 ? 0u : g < (double)p.bins ? (u32)g + 1u : p.bins);
	} else {
		at = edges_below(p, v);
	}
	return at < p.bins ? at : p.bins;
}

template <int DIM, bool WRAP>
struct ExactBins : Exact<DIM, WRAP> {
	typedef Exact<DIM, WRAP> E;
	enum { BIAS = 0 };
	__device__ static __forceinline__ u32 guess(const PairsParams &p, const double (&a)[E::QUERY], const double (&b)[E::DATA], u32 i, u32 j, float &doubt) {
		double d2 = E::squared(p, a, b);
		u32 key = (u32)((u64)__double_as_longlong(d2) >> 32) >> p.shift;
		key = key < p.first_key ? p.first_key : key > p.last_key ? p.last_key : key;
		u32 at = __ldg(&p.start[key - p.first_key]);
		while (at <= p.bins && __ldg(&p.edge[at]) <= d2) at++;
		return at;
	}
};

template <int DIM, bool WRAP>
struct ExactWithin : Exact<DIM, WRAP> {
	typedef Exact<DIM, WRAP> E;
	enum { BIAS = 0 };
	__device__ static __forceinline__ u32 guess(const PairsParams &p, const double (&a)[E::QUERY], const double (&b)[E::DATA], u32 i, u32 j, float &doubt) {
		return E::squared(p, a, b) <= p.within;
	}
};

/* d² in float32, of columns moved and scaled on the host, with the error bounds
 * that the host derives (near.go); whatever they leave open is decided by
 * Exact. Fused: its rounding is inside the bounds. */
template <int DIM, bool WRAP>
struct Near {
	typedef float Real;
	typedef u32 Code;
	typedef Exact<DIM, WRAP> E;
	enum { DYNAMIC = Dimensions<DIM>::DYNAMIC, QUERY = Dimensions<DIM>::COLUMNS, DATA = QUERY, SURE = 0 };
	__device__ static const float *query(const PairsParams &p) { return p.query_near; }
	__device__ static const float *data(const PairsParams &p) { return p.data_near; }
	__device__ static __forceinline__ float squared(const PairsParams &p, const float (&a)[QUERY], const float (&b)[DATA], float start) {
		float sum = start;
#pragma unroll
		for (int c = 0; c < QUERY; c++) {
			if (!has_column<Near>(p, c)) break;
			float e = a[c] - b[c];
			if (WRAP) {
				e = fabsf(e);
				e = fminf(e, p.side_near[c] - e);
			}
			sum = __fmaf_rn(e, e, sum);
		}
		return sum;
	}
};

/* Even bins: d is d²·rsqrt(d²) in units of the bins. Adding 2^23 rounding down
 * leaves the bin in the low bits; what is left of d, less a half, says how near
 * an edge is. OPEN: nothing is below the first edge, which is 0, or beyond the
 * last. */
template <int DIM, bool WRAP, bool OPEN>
struct NearEven : Near<DIM, WRAP> {
	typedef Near<DIM, WRAP> N;
	enum : u32 { BIAS = OPEN ? 0x4b000000u - 1u : 0x4b000000u };
	__device__ static __forceinline__ float size(float doubt) { return fabsf(doubt); }
	__device__ static __forceinline__ u32 guess(const PairsParams &p, const float (&a)[N::QUERY], const float (&b)[N::DATA], u32 i, u32 j, float &doubt) {
		float d2 = N::squared(p, a, b, 1e-30f); /* not 0, for the root */
		float r = fast_rsqrt(d2), t;
		if (OPEN) {
			t = __fmaf_rd(d2, r, 8388608.0f);
			doubt = __fmaf_rn(d2, r, 8388607.5f - t);
		} else {
			float d = __fmaf_rn(d2, r, -p.low);
			d = fminf(fmaxf(d, 0.5f), p.top);
			t = __fadd_rd(d, 8388608.0f);
			doubt = d + (8388607.5f - t);
		}
		return (u32)__float_as_int(t);
	}
	__device__ static __noinline__ u32 settle(const PairsParams &p, u32 code, float doubt, u32 i, u32 j) {
		if (OPEN && code == BIAS + 1u && doubt < 0) return code; /* near 0 */
		return BIAS + edges_below(p, N::E::again(p, i, j));
	}
};

/* Any edges: the leading bits of d² look up a counter, from which few edges
 * are compared. */
template <int DIM, bool WRAP>
struct NearBins : Near<DIM, WRAP> {
	typedef Near<DIM, WRAP> N;
	enum { BIAS = 0 };
	__device__ static __forceinline__ float size(float doubt) { return doubt; }
	__device__ static __forceinline__ u32 guess(const PairsParams &p, const float (&a)[N::QUERY], const float (&b)[N::DATA], u32 i, u32 j, float &doubt) {
		float d2 = N::squared(p, a, b, 0);
		u32 key = (u32)__float_as_int(d2) >> p.shift;
		key = key < p.first_key ? p.first_key : key > p.last_key ? p.last_key : key;
		u32 at = __ldg(&p.start[key - p.first_key]);
		while (at <= p.bins && __ldg(&p.edge_high[at]) <= d2) at++;
		doubt = at <= p.bins && d2 >= __ldg(&p.edge_low[at]) ? 1.0f : 0.0f;
		return at;
	}
	__device__ static __noinline__ u32 settle(const PairsParams &p, u32 code, float doubt, u32 i, u32 j) { return edges_below(p, N::E::again(p, i, j)); }
};

template <int DIM, bool WRAP>
struct NearWithin : Near<DIM, WRAP> {
	typedef Near<DIM, WRAP> N;
	enum { BIAS = 0 };
	__device__ static __forceinline__ float size(float doubt) { return -fabsf(doubt); }
	__device__ static __forceinline__ u32 guess(const PairsParams &p, const float (&a)[N::QUERY], const float (&b)[N::DATA], u32 i, u32 j, float &doubt) {
		doubt = N::squared(p, a, b, -p.within_near);
		return doubt <= 0;
	}
	__device__ static __noinline__ u32 settle(const PairsParams &p, u32 code, float doubt, u32 i, u32 j) { return N::E::again(p, i, j) <= p.within; }
};

/* ---- outputs: RARE says that code 0 adds nothing and is what most pairs give,
 * the others being 1; begin() is then called before the pairs that are 1 ---- */

/* Into global memory, one atomic operation a pair. */
template <class F>
struct GlobalOutput {
	enum { RARE = 0 };
	u64 *count;
	__device__ __forceinline__ GlobalOutput(const PairsParams &p) : count(p.count) {}
	__device__ __forceinline__ void add(const PairsParams &p, u32 bin, u32 i, u32 j) { atomicAdd(&count[bin - (u32)F::BIAS], 1ull); }
	__device__ __forceinline__ void finish(const PairsParams &p) {}
};

/* Privatized: counters in shared memory, in copies for lanes of equal number
 * modulo the copies, side by side so that copies lie in different banks. The
 * host cuts launches so that no 32-bit counter overflows. */
template <class F>
struct SharedOutput {
	enum { RARE = 0 };
	u32 base, step; /* bytes */
	__device__ __forceinline__ SharedOutput(const PairsParams &p) {
		DYNAMIC_SHARED(u32, counters);
		for (u32 k = threadIdx.x; k < (p.bins + 2) * p.copies; k += blockDim.x) counters[k] = 0;
		step = p.copies * 4u;
		base = (lane_id() & (p.copies - 1u)) * 4u - (u32)F::BIAS * step;
#ifndef SKYJOIN_EMULATOR
		base += (u32)__cvta_generic_to_shared(counters);
#endif
		__syncthreads();
	}
	__device__ __forceinline__ void add(const PairsParams &p, u32 bin, u32 i, u32 j) {
		u32 at = bin * step + base;
#ifdef SKYJOIN_EMULATOR
		DYNAMIC_SHARED(char, counters);
		atomicAdd((u32 *)(counters + at), 1u);
#else
		asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory");
#endif
	}
	__device__ __forceinline__ void finish(const PairsParams &p) {
		DYNAMIC_SHARED(u32, counters);
		__syncthreads();
		for (u32 k = threadIdx.x; k < p.bins + 2; k += blockDim.x) {
			u64 sum = 0;
			for (u32 c = 0; c < p.copies; c++) sum += counters[k * p.copies + (c + k) % p.copies];
			if (sum) atomicAdd(&p.count[k], sum);
		}
	}
};

/* Predicates: in a register. */
template <class F>
struct RegisterOutput {
	enum { RARE = 0 };
	u32 found;
	__device__ __forceinline__ RegisterOutput(const PairsParams &p) : found(0) {}
	__device__ __forceinline__ void add(const PairsParams &p, u32 bin, u32 i, u32 j) { found += bin; }
	__device__ __forceinline__ void finish(const PairsParams &p) {
		u64 sum = warp_sum((u64)found);
		if (lane_id() == 0 && sum) atomicAdd(&p.count[1], sum);
	}
};

/* A pair's rows: the lower first where the pairs of one set are met once. */
__device__ static __forceinline__ u64 pair_rows(const PairsParams &p, u32 i, u32 j) {
	if (p.mode == PAIRS_HALF && j < i) {
		u32 k = i;
		i = j;
		j = k;
	}
	return (u64)(p.query_row + i) << 32 | (p.data_row + j);
}

/* Predicates: pairs into a pool. The lanes of a warp that have some at the same
 * time take their places by one atomic operation; the paper's threads take pages, see
 * published/pairs_tilings.cu. The host sees from the cursor whether the pool was large
 * enough. */
template <class F>
struct BufferOutput {
	enum { RARE = 1 };
	u64 at;
	__device__ __forceinline__ BufferOutput(const PairsParams &p) : at(0) {}
	/* So many pairs follow: at most 15. */
	__device__ __forceinline__ void begin(const PairsParams &p, u32 pairs) {
		u32 lanes = __activemask(), before = 0, all = 0;
#pragma unroll
		for (int bit = 0; bit < 4; bit++) {
			u32 have = __ballot_sync(lanes, pairs >> bit & 1u);
			before += (u32)__popc(have & lanes_below()) << bit;
			all += (u32)__popc(have) << bit;
		}
		int first = __ffs((int)lanes) - 1;
		u64 base = 0;
		if ((int)lane_id() == first) base = atomicAdd(p.cursor, (u64)all);
		at = __shfl_sync(lanes, base, first) + before;
	}
	__device__ __forceinline__ void add(const PairsParams &p, u32 bin, u32 i, u32 j) {
		if (!bin) return;
		if (at < p.capacity) p.pairs[at] = pair_rows(p, i, j);
		at++;
	}
	__device__ __forceinline__ void finish(const PairsParams &p) {}
};

/* Predicates: the two passes that the direct buffer saves. */
template <class F>
struct CountingOutput {
	enum { RARE = 0 };
	u32 found;
	__device__ __forceinline__ CountingOutput(const PairsParams &p) : found(0) {}
	__device__ __forceinline__ void add(const PairsParams &p, u32 bin, u32 i, u32 j) { found += bin; }
	__device__ __forceinline__ void finish(const PairsParams &p) { p.found[blockIdx.x * blockDim.x + threadIdx.x] = found; }
};
template <class F>
struct FillingOutput {
	enum { RARE = 1 };
	u64 at;
	__device__ __forceinline__ FillingOutput(const PairsParams &p) : at(p.offset[blockIdx.x * blockDim.x + threadIdx.x]) {}
	__device__ __forceinline__ void begin(const PairsParams &p, u32 pairs) {}
	__device__ __forceinline__ void add(const PairsParams &p, u32 bin, u32 i, u32 j) {
		if (bin) p.pairs[at++] = pair_rows(p, i, j);
	}
	__device__ __forceinline__ void finish(const PairsParams &p) {}
};

/* Exact sums of any float64: word k counts multiples of 2^(32k-1074), as in
 * internal/exact. */
#define SUM_WORDS 68

struct ExactSum {
	long long word[SUM_WORDS];
	int low, high; /* words in use, but for two more */
	u32 nan, plus, minus;
	__device__ __forceinline__ ExactSum() : low(SUM_WORDS), high(-1), nan(0), plus(0), minus(0) {
		for (int k = 0; k < SUM_WORDS; k++) word[k] = 0;
	}
	__device__ __forceinline__ void add(double v) {
		u64 b = (u64)__double_as_longlong(v), m = b & ((1ull << 52) - 1ull);
		int e = (int)(b >> 52 & 0x7ffu);
		if (e == 0x7ff) {
			if (m) nan++;
			else if (b >> 63) minus++;
			else plus++;
			return;
		}
		if (e == 0) {
			if (m == 0) return;
			e = 1;
		} else {
			m |= 1ull << 52;
		}
		int k = (e - 1) >> 5, s = (e - 1) & 31;
		u64 lo = m << s;
		long long w0 = (long long)(lo & 0xffffffffull), w1 = (long long)(lo >> 32), w2 = s ? (long long)(m >> (64 - s)) : 0;
		if (b >> 63) {
			w0 = -w0;
			w1 = -w1;
			w2 = -w2;
		}
		word[k] += w0;
		word[k + 1] += w1;
		word[k + 2] += w2;
		low = k < low ? k : low;
		high = k > high ? k : high;
	}
	/* Carries, so that the sums of many fit: all but the last word in use, whose
	 * number is returned, have 32 bits. */
	__device__ __forceinline__ int carry() {
		int last = high + 3 < SUM_WORDS ? high + 3 : SUM_WORDS - 1;
		for (int k = low; k < last; k++) {
			word[k + 1] += word[k] >> 32;
			word[k] &= 0xffffffffll;
		}
		return last;
	}
};

/* Values: summed in a thread's own words, then into p.count, SUM_WORDS of them
 * and the numbers of NaN, +Inf and -Inf. */
template <class F>
struct SumOutput {
	enum { RARE = 0 };
	ExactSum sum;
	__device__ __forceinline__ SumOutput(const PairsParams &p) {}
	__device__ __forceinline__ void add(const PairsParams &p, double v, u32 i, u32 j) { sum.add(v); }
	__device__ __forceinline__ void finish(const PairsParams &p) {
		int last = sum.carry();
		for (int k = sum.low; k <= last; k++)
			if (sum.word[k]) atomicAdd(&p.count[k], (u64)sum.word[k]);
		if (sum.nan) atomicAdd(&p.count[SUM_WORDS], (u64)sum.nan);
		if (sum.plus) atomicAdd(&p.count[SUM_WORDS + 1], (u64)sum.plus);
		if (sum.minus) atomicAdd(&p.count[SUM_WORDS + 2], (u64)sum.minus);
	}
};

/* ---- tilings ---- */

template <class F, int N>
__device__ static __forceinline__ void load_point(const PairsParams &p, typename F::Real (&x)[N], const typename F::Real *column, u32 stride, u32 i) {
#pragma unroll
	for (int c = 0; c < N; c++)
		if (has_column<F>(p, c)) x[c] = column[(size_t)c * stride + i];
}

/* Queries i, i + step, … and data points j, j + 1, …: all guesses first, so
 * that they overlap, and one branch for what is in doubt. */
template <class F, class O, int V, int K>
__device__ static __forceinline__ void pairs_group(const PairsParams &p, O &out, const typename F::Real (&a)[V][F::QUERY], const typename F::Real (&b)[K][F::DATA],
                                                   u32 i, u32 step, u32 j) {
	typename F::Code code[V * K];
	float doubt[V * K], most = -1e30f;
#pragma unroll
	for (int n = 0; n < V * K; n++) {
		code[n] = F::guess(p, a[n / K], b[n % K], i + (u32)(n / K) * step, j + (u32)(n % K), doubt[n]);
		if (!F::SURE) most = fmaxf(most, F::size(doubt[n]));
	}
	if (!F::SURE && most > p.near) {
#pragma unroll
		for (int n = 0; n < V * K; n++)
			if (F::size(doubt[n]) > p.near) code[n] = F::settle(p, code[n], doubt[n], i + (u32)(n / K) * step, j + (u32)(n % K));
	}
	if constexpr (O::RARE) { /* hits are: one branch for all */
		u32 hits = 0;
#pragma unroll
		for (int n = 0; n < V * K; n++) hits += code[n];
		if (!hits) return;
		out.begin(p, hits);
	}
#pragma unroll
	for (int n = 0; n < V * K; n++) out.add(p, code[n], i + (u32)(n / K) * step, j + (u32)(n % K));
}

/* One pair. */
template <class F, class O>
__device__ static __forceinline__ void pair(const PairsParams &p, O &out, const typename F::Real (&a)[F::QUERY], const typename F::Real (&b)[F::DATA], u32 i, u32 j) {
	float doubt;
	typename F::Code code = F::guess(p, a, b, i, j, doubt);
	if (!F::SURE && F::size(doubt) > p.near) code = F::settle(p, code, doubt, i, j);
	if constexpr (O::RARE) {
		if (!code) return;
		out.begin(p, 1);
	}
	out.add(p, code, i, j);
}

/* One thread a query, everything from global memory (algorithm 1). */
template <class F, class O>
__device__ static __forceinline__ void pairs_naive(const PairsParams &p) {
	O out(p);
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.queries) {
		typename F::Real a[F::QUERY], b[F::DATA];
		load_point<F>(p, a, F::query(p), p.query_stride, i);
		for (u32 j = p.mode == PAIRS_HALF ? i + 1u : 0u; j < p.points; j++) {
			if (p.mode == PAIRS_ORDERED && i == j) continue;
			load_point<F>(p, b, F::data(p), p.data_stride, j);
			pair<F>(p, out, a, b, i, j);
		}
	}
	out.finish(p);
}

/* Consecutive values of one column, loaded at once. */
template <class Real>
struct __align__(16) Packed {
	enum { N = 16 / sizeof(Real) };
	Real v[N];
};

/* The pairs of a block's own points. Number k of a query's partners is the
 * point k after it, around the end; or all points after it; or all others. */
template <class F, class O, class Get>
__device__ static __forceinline__ void pairs_inside(const PairsParams &p, O &out, u32 first, u32 size, u32 local,
                                                    const typename F::Real (&a)[F::QUERY], const Get &get) {
	if (local >= size) return;
	typename F::Real b[F::DATA];
	bool half_of_them = p.mode == PAIRS_HALF || p.mode == PAIRS_INSIDE;
	if (half_of_them && p.balanced) {
		u32 half = size / 2u;
		u32 last = (size & 1u) == 0 && local >= half ? half - 1u : half;
		for (u32 k = 1; k <= last; k++) {
			u32 j = local + k;
			if (j >= size) j -= size;
			get(b, j);
			pair<F>(p, out, a, b, first + local, first + j);
		}
		return;
	}
	for (u32 j = half_of_them ? local + 1u : 0u; j < size; j++) {
		if (j == local) continue;
		get(b, j);
		pair<F>(p, out, a, b, first + local, first + j);
	}
}

template <class F>
struct SharedPoint {
	const typename F::Real *tile;
	u32 size;
	const PairsParams &p;
	__device__ __forceinline__ void operator()(typename F::Real (&b)[F::DATA], u32 j) const {
#pragma unroll
		for (int c = 0; c < F::DATA; c++)
			if (has_column<F>(p, c)) b[c] = tile[c * size + j];
	}
};

template <class F>
struct GlobalPoint {
	u32 first;
	const PairsParams &p;
	__device__ __forceinline__ void operator()(typename F::Real (&b)[F::DATA], u32 j) const {
#pragma unroll
		for (int c = 0; c < F::DATA; c++)
			if (has_column<F>(p, c)) b[c] = __ldg(&F::data(p)[(size_t)c * p.data_stride + first + j]);
	}
};

/* Tiled: a block holds PAIRS_VECTOR queries a thread and meets the data tile by
 * tile. In PAIRS_HALF it meets the tiles from its own on, its own inside. */
enum { TILE_SHARED_BOTH, TILE_SHARED, TILE_READ_ONLY, TILE_GLOBAL, TILE_SHUFFLE }; /* the last two for pairs_rows */

template <class F, class O, int TILING>
__device__ static __forceinline__ void pairs_tiled(const PairsParams &p) {
	enum { V = PAIRS_VECTOR, PACK = Packed<typename F::Real>::N };
	typedef typename F::Real Real;
	O out(p);
	DYNAMIC_SHARED(char, shared);
	u32 size = blockDim.x * V;
	Real *tile = (Real *)(shared + p.tile);
	Real *own = tile + (F::DYNAMIC ? p.dim : (u32)F::DATA) * size; /* TILE_SHARED_BOTH */
	u32 first = blockIdx.x * size;
	u32 mine = p.queries - first < size ? p.queries - first : size;
	Real a[V][F::QUERY];
#pragma unroll
	for (int v = 0; v < V; v++) {
		u32 local = threadIdx.x + v * blockDim.x;
		load_point<F>(p, a[v], F::query(p), p.query_stride, first + (local < mine ? local : 0u));
#pragma unroll
		for (int c = 0; c < F::QUERY; c++)
			if (TILING == TILE_SHARED_BOTH && has_column<F>(p, c)) own[c * size + local] = a[v][c];
	}
	u32 tiles = p.mode == PAIRS_INSIDE ? blockIdx.x + 1u : (p.points + size - 1u) / size;
	for (u32 t = p.mode == PAIRS_HALF || p.mode == PAIRS_INSIDE ? blockIdx.x : 0u; t < tiles; t++) {
		u32 base = t * size;
		u32 there = p.points - base < size ? p.points - base : size;
		if (TILING != TILE_READ_ONLY) {
			__syncthreads(); /* nobody reads the last tile any more */
			for (u32 k = threadIdx.x; k < there; k += blockDim.x)
#pragma unroll
				for (int c = 0; c < F::DATA; c++)
					if (has_column<F>(p, c)) tile[c * size + k] = F::data(p)[(size_t)c * p.data_stride + base + k];
			__syncthreads();
		}
		SharedPoint<F> from_tile = {tile, size, p};
		GlobalPoint<F> from_global = {base, p};
		if (t == blockIdx.x && p.mode != PAIRS_CROSS) {
			for (int v = 0; v < V; v++) {
				u32 local = threadIdx.x + v * blockDim.x;
				if (TILING == TILE_READ_ONLY) pairs_inside<F>(p, out, first, mine, local, a[v], from_global);
				else pairs_inside<F>(p, out, first, mine, local, a[v], from_tile);
			}
			continue;
		}
		u32 whole = mine == size ? there / PACK * PACK : 0u;
		for (u32 j = 0; j < whole; j += PACK) {
			Real b[PACK][F::DATA];
#pragma unroll
			for (int c = 0; c < F::DATA; c++) {
				if (!has_column<F>(p, c)) break;
				const Real *column = &F::data(p)[(size_t)c * p.data_stride + base];
				Packed<Real> pack;
				if (TILING != TILE_READ_ONLY) pack = *(const Packed<Real> *)&tile[c * size + j];
#pragma unroll
				for (int k = 0; k < PACK; k++) b[k][c] = TILING == TILE_READ_ONLY ? __ldg(&column[j + k]) : pack.v[k];
			}
			if (TILING == TILE_SHARED_BOTH) {
#pragma unroll
				for (int v = 0; v < V; v++)
#pragma unroll
					for (int c = 0; c < F::QUERY; c++)
						if (has_column<F>(p, c)) a[v][c] = ((const volatile Real *)own)[c * size + threadIdx.x + v * blockDim.x];
			}
			pairs_group<F, O, V, PACK>(p, out, a, b, first + threadIdx.x, blockDim.x, base + j);
		}
		for (u32 j = whole; j < there; j++) {
			Real b[F::DATA];
			if (TILING == TILE_READ_ONLY) from_global(b, j);
			else from_tile(b, j);
			for (int v = 0; v < V; v++) {
				u32 local = threadIdx.x + v * blockDim.x;
				if (local < mine) pair<F>(p, out, a[v], b, first + local, base + j);
			}
		}
	}
	out.finish(p);
}

/* Tiles in registers: the lanes of a warp hold 32 data points and hand them
 * around (algorithm 6). */
template <class F, class O>
__device__ static __forceinline__ void pairs_shuffle(const PairsParams &p) {
	enum { V = PAIRS_VECTOR };
	typedef typename F::Real Real;
	O out(p);
	u32 size = blockDim.x * V;
	u32 first = blockIdx.x * size;
	u32 mine = p.queries - first < size ? p.queries - first : size;
	Real a[V][F::QUERY];
#pragma unroll
	for (int v = 0; v < V; v++) {
		u32 local = threadIdx.x + v * blockDim.x;
		load_point<F>(p, a[v], F::query(p), p.query_stride, first + (local < mine ? local : 0u));
	}
	for (u32 base = p.mode == PAIRS_HALF ? first : 0u; base < p.points; base += 32u) {
		u32 there = p.points - base < 32u ? p.points - base : 32u;
		Real held[F::DATA];
		load_point<F>(p, held, F::data(p), p.data_stride, base + (lane_id() < there ? lane_id() : 0u));
		bool inside = p.mode != PAIRS_CROSS && base - first < size; /* the block's own */
		for (u32 k = 0; k < there; k++) {
			Real b[F::DATA];
#pragma unroll
			for (int c = 0; c < F::DATA; c++)
				if (has_column<F>(p, c)) b[c] = __shfl_sync(FULL, held[c], (int)k);
			u32 j = base + k;
#pragma unroll
			for (int v = 0; v < V; v++) {
				u32 local = threadIdx.x + v * blockDim.x, i = first + local;
				if (local >= mine || inside && (p.mode == PAIRS_HALF ? j <= i : j == i)) continue;
				pair<F>(p, out, a[v], b, i, j);
			}
		}
	}
	out.finish(p);
}

/* ---- one result a row ---- */

template <class F>
struct RowCount {
	u64 found;
	__device__ __forceinline__ RowCount(const PairsParams &p, u32 i) : found(0) {}
	__device__ __forceinline__ void add(double v, u32 j) { found += v != 0; }
	__device__ __forceinline__ void finish(const PairsParams &p, u32 i) { p.row_count[i] += found; }
};

/* The least or most value, of equal ones that of the lowest row. */
template <class F, bool LEAST>
struct RowExtreme {
	double best;
	u32 other;
	__device__ __forceinline__ RowExtreme(const PairsParams &p, u32 i) : best(p.row_value[i]), other(p.row_other[i]) {}
	__device__ __forceinline__ void add(double v, u32 j) {
		if (LEAST ? v < best : v > best) {
			best = v;
			other = j;
		} else if (best != best && v == v) {
			best = v;
			other = j;
		}
	}
	__device__ __forceinline__ void finish(const PairsParams &p, u32 i) {
		p.row_value[i] = best;
		p.row_other[i] = other;
	}
};

template <class F>
struct RowSum {
	ExactSum sum;
	__device__ __forceinline__ RowSum(const PairsParams &p, u32 i) {}
	__device__ __forceinline__ void add(double v, u32 j) { sum.add(v); }
	__device__ __forceinline__ void finish(const PairsParams &p, u32 i) {
		long long *words = &p.row_words[(size_t)i * (SUM_WORDS + 3)];
		int last = sum.carry();
		for (int k = sum.low; k <= last; k++) words[k] += sum.word[k];
		words[SUM_WORDS] += sum.nan;
		words[SUM_WORDS + 1] += sum.plus;
		words[SUM_WORDS + 2] += sum.minus;
	}
};

/* One thread a query, data points in the order of their numbers. In
 * PAIRS_ORDERED a row does not meet itself. */
template <class F, class R, int TILING>
__device__ static __forceinline__ void pairs_rows(const PairsParams &p) {
	enum { TILES = TILING == TILE_SHARED || TILING == TILE_SHARED_BOTH };
	typedef typename F::Real Real;
	DYNAMIC_SHARED(Real, tile);
	Real *own = tile + F::DATA * blockDim.x; /* TILE_SHARED_BOTH */
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	bool live = i < p.queries;
	u32 at = live ? i : 0u;
	R row(p, at);
	Real a[F::QUERY], held[F::DATA];
	load_point<F>(p, a, F::query(p), p.query_stride, at);
#pragma unroll
	for (int c = 0; c < F::QUERY; c++)
		if (TILING == TILE_SHARED_BOTH) own[c * blockDim.x + threadIdx.x] = a[c];
	u32 size = TILING == TILE_SHUFFLE ? 32u : blockDim.x;
	for (u32 base = 0; base < p.points; base += size) {
		u32 there = p.points - base < size ? p.points - base : size;
		if (TILES) {
			__syncthreads(); /* nobody reads the last tile any more */
			if (threadIdx.x < there)
#pragma unroll
				for (int c = 0; c < F::DATA; c++) tile[c * size + threadIdx.x] = F::data(p)[(size_t)c * p.data_stride + base + threadIdx.x];
			__syncthreads();
		}
		if (TILING == TILE_SHUFFLE) load_point<F>(p, held, F::data(p), p.data_stride, base + (lane_id() < there ? lane_id() : 0u));
		SharedPoint<F> from_tile = {tile, size, p};
		GlobalPoint<F> from_global = {base, p};
		for (u32 k = 0; (live || TILING == TILE_SHUFFLE) && k < there; k++) {
			Real b[F::DATA];
			if (TILES) from_tile(b, k);
			if (TILING == TILE_READ_ONLY) from_global(b, k);
			if (TILING == TILE_GLOBAL) load_point<F>(p, b, F::data(p), p.data_stride, base + k);
#pragma unroll
			for (int c = 0; c < F::DATA; c++)
				if (TILING == TILE_SHUFFLE) b[c] = __shfl_sync(FULL, held[c], (int)k);
#pragma unroll
			for (int c = 0; c < F::QUERY; c++)
				if (TILING == TILE_SHARED_BOTH) a[c] = ((const volatile Real *)own)[c * blockDim.x + threadIdx.x];
			u32 j = p.data_row + base + k;
			if (!live || p.mode == PAIRS_ORDERED && j == p.query_row + i) continue;
			row.add((double)F::value(a, b), j);
		}
	}
	if (live) row.finish(p, i);
}

#endif
