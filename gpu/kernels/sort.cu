/* Radix sort of (key, value) pairs, least significant digit first, 8 bits a
 * pass, and prefix sums. A pass: histograms per tile, one scan over
 * [digit][tile], stable scatter. Stability comes from ranking each warp's items
 * in order by votes, then offsetting warps in order. */
#include "common.cuh"

#define SORT_THREADS 256
#define SORT_ITEMS 16
#define SORT_TILE (SORT_THREADS * SORT_ITEMS)
#define SORT_WARPS (SORT_THREADS / 32)

struct SortParams {
	const u64 *keys_in;
	const u32 *values_in;
	u64 *keys_out;
	u32 *values_out;
	u32 *histogram; /* [256][tiles] */
	u32 n, tiles;
	int shift;
	int pad;
};

KERNEL(sort_histogram, SortParams) {
	__shared__ u32 count[256];
	count[threadIdx.x] = 0;
	__syncthreads();
	u32 base = blockIdx.x * SORT_TILE;
	for (int i = 0; i < SORT_ITEMS; i++) {
		u32 at = base + (u32)i * SORT_THREADS + threadIdx.x;
		if (at < p.n) atomicAdd(&count[(p.keys_in[at] >> p.shift) & 255u], 1u);
	}
	__syncthreads();
	p.histogram[(size_t)threadIdx.x * p.tiles + blockIdx.x] = count[threadIdx.x];
}

/* Items of a tile are dealt to warps in runs of 32*SORT_ITEMS, in order. */
KERNEL(sort_scatter, SortParams) {
	__shared__ u32 count[SORT_WARPS][256];
	__shared__ u32 start[256];
	u32 warp = threadIdx.x / 32, lane = lane_id();
	for (u32 i = threadIdx.x; i < SORT_WARPS * 256; i += SORT_THREADS) count[i / 256][i % 256] = 0;
	__syncthreads();
	u32 base = blockIdx.x * SORT_TILE + warp * (32 * SORT_ITEMS);
	u64 key[SORT_ITEMS];
	u32 rank[SORT_ITEMS];
	for (int i = 0; i < SORT_ITEMS; i++) {
		u32 at = base + (u32)i * 32 + lane;
		bool live = at < p.n;
		key[i] = live ? p.keys_in[at] : 0;
		u32 digit = (u32)(key[i] >> p.shift) & 255u;
		u32 same = __ballot_sync(FULL, live);
		for (int b = 0; b < 8; b++) {
			u32 vote = __ballot_sync(FULL, (int)(digit >> b & 1u));
			same &= digit >> b & 1u ? vote : ~vote;
		}
		u32 before = live ? count[warp][digit] : 0;
		rank[i] = before + (u32)__popc(same & lanes_below());
		__syncwarp();
		if (live && (same & lanes_below()) == 0) count[warp][digit] = before + (u32)__popc(same);
		__syncwarp();
	}
	__syncthreads();
	u32 sum = 0;
	for (int w = 0; w < SORT_WARPS; w++) {
		u32 c = count[w][threadIdx.x];
		count[w][threadIdx.x] = sum;
		sum += c;
	}
	start[threadIdx.x] = p.histogram[(size_t)threadIdx.x * p.tiles + blockIdx.x];
	__syncthreads();
	for (int i = 0; i < SORT_ITEMS; i++) {
		u32 at = base + (u32)i * 32 + lane;
		if (at >= p.n) continue;
		u32 digit = (u32)(key[i] >> p.shift) & 255u;
		u32 to = start[digit] + count[warp][digit] + rank[i];
		p.keys_out[to] = key[i];
		p.values_out[to] = p.values_in ? p.values_in[at] : at;
	}
}

#define SCAN_THREADS 256
#define SCAN_ITEMS 16
#define SCAN_TILE (SCAN_THREADS * SCAN_ITEMS)

/* Sum of a value over the threads of a block, before this thread; the block's
 * total in *total. */
template <typename T>
__device__ T block_scan(T v, T *total) {
	__shared__ T warps[32];
	u32 warp = threadIdx.x / 32;
	T sum = warp_scan(v);
	if (lane_id() == 31) warps[warp] = sum;
	__syncthreads();
	if (warp == 0) {
		T w = lane_id() < blockDim.x / 32 ? warps[lane_id()] : (T)0;
		warps[lane_id()] = warp_scan(w);
	}
	__syncthreads();
	T before = warp > 0 ? warps[warp - 1] : (T)0;
	*total = warps[blockDim.x / 32 - 1];
	__syncthreads();
	return before + sum - v;
}

struct ScanParams {
	const u32 *in;
	u32 *out32; /* exclusive sums, one of out32 and out64 */
	u64 *out64;
	u64 *sums; /* per tile */
	u32 n, tiles;
};

KERNEL(scan_sums, ScanParams) {
	u64 sum = 0, total;
	u32 base = blockIdx.x * SCAN_TILE + threadIdx.x;
	for (u32 i = 0; i < SCAN_ITEMS; i++) {
		u32 at = base + i * SCAN_THREADS;
		if (at < p.n) sum += p.in[at];
	}
	block_scan<u64>(sum, &total);
	if (threadIdx.x == 0) p.sums[blockIdx.x] = total;
}

/* One block turns the tiles' sums into what stands before each; the total goes
 * behind the last. */
KERNEL(scan_tiles, ScanParams) {
	u64 carry = 0;
	for (u32 base = 0; base < p.tiles; base += blockDim.x) {
		u32 at = base + threadIdx.x;
		u64 v = at < p.tiles ? p.sums[at] : 0, total;
		u64 before = block_scan<u64>(v, &total);
		if (at < p.tiles) p.sums[at] = carry + before;
		carry += total;
	}
	if (threadIdx.x == 0) p.sums[p.tiles] = carry;
}

KERNEL(scan_finish, ScanParams) {
	u32 base = blockIdx.x * SCAN_TILE + threadIdx.x * SCAN_ITEMS;
	u32 v[SCAN_ITEMS];
	u64 sum = 0, total;
	for (u32 i = 0; i < SCAN_ITEMS; i++) {
		v[i] = base + i < p.n ? p.in[base + i] : 0;
		sum += v[i];
	}
	u64 at = p.sums[blockIdx.x] + block_scan<u64>(sum, &total);
	for (u32 i = 0; i < SCAN_ITEMS && base + i < p.n; i++) {
		if (p.out64) p.out64[base + i] = at;
		else p.out32[base + i] = (u32)at;
		at += v[i];
	}
	if (p.out64 && blockIdx.x == 0 && threadIdx.x == 0) p.out64[p.n] = p.sums[p.tiles];
}
