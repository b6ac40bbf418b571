/* The two kernels that sample distances to choose one to search within
 * (Gowanlock, Hybrid KNN-Join, §4.4): the sum of the distances of a sample to
 * another, and a histogram of those of a sample to all points. A block holds
 * some of the queries and goes over a slice of the points. */
#include "grid.cuh"

#define SAMPLE_THREADS 256
#define SAMPLE_QUERIES 32
#define SAMPLE_BINS 8192

struct SampleParams {
	const double *x[MAX_DIM]; /* of queries */
	const double *y[MAX_DIM]; /* of data */
	Box box;
	const u32 *query; /* the sampled rows */
	const u32 *data;  /* likewise; null: all */
	u64 *out;         /* the sum, or a count for each bin */
	double scale;     /* units, or bins, of a length */
	u32 queries, points;
	u32 slices; /* of the points: a block for each, and for each group of queries */
	int dim;
};

/* Calls take(d²) for all pairs of the block. x is shared; here its name would
 * have a hash of the folder in which this is compiled. */
template <typename F>
__device__ static __forceinline__ void sample(const SampleParams &p, double (*x)[SAMPLE_QUERIES], F take) {
	u32 from = blockIdx.x / p.slices * SAMPLE_QUERIES, slice = blockIdx.x % p.slices;
	u32 n = p.queries - from < SAMPLE_QUERIES ? p.queries - from : SAMPLE_QUERIES;
	if (threadIdx.x < n) {
		u32 row = p.query[from + threadIdx.x];
		for (int j = 0; j < p.dim; j++) x[j][threadIdx.x] = p.x[j][row];
	}
	__syncthreads();
	for (u64 i = slice * SAMPLE_THREADS + threadIdx.x; i < p.points; i += (u64)p.slices * SAMPLE_THREADS) {
		u32 row = p.data ? p.data[i] : (u32)i;
		double y[MAX_DIM];
#pragma unroll
		for (int j = 0; j < MAX_DIM; j++)
			if (j < p.dim) y[j] = p.y[j][row];
		for (u32 q = 0; q < n; q++) {
			double sum = 0;
#pragma unroll
			for (int j = 0; j < MAX_DIM; j++) {
				if (j >= p.dim) break;
				double e = gap<true>(x[j][q], y[j], p.box.side[j]);
				sum += e * e;
			}
			take(sum);
		}
	}
}

KERNEL_BOUNDS(sample_sum, SampleParams, SAMPLE_THREADS, 1) {
	__shared__ double x[MAX_DIM][SAMPLE_QUERIES];
	u64 all = 0;
	sample(p, x, [&](double sum) { all += (u64)(sqrt(sum) * p.scale); });
	all = warp_sum(all);
	if (lane_id() == 0 && all) atomicAdd(p.out, all);
}

/* Pairs at distance 0 are left out. A counter of a block takes 32 pairs for each
 * point of its slice, which the slices keep below 2^32. */
KERNEL_BOUNDS(sample_count, SampleParams, SAMPLE_THREADS, 1) {
	__shared__ double x[MAX_DIM][SAMPLE_QUERIES];
	__shared__ u32 count[SAMPLE_BINS];
	for (u32 i = threadIdx.x; i < SAMPLE_BINS; i += SAMPLE_THREADS) count[i] = 0;
	__syncthreads();
	sample(p, x, [&](double sum) {
		double bin = sqrt(sum) * p.scale;
		if (sum > 0 && bin < SAMPLE_BINS) atomicAdd(&count[(u32)bin], 1u);
	});
	__syncthreads();
	for (u32 i = threadIdx.x; i < SAMPLE_BINS; i += SAMPLE_THREADS)
		if (count[i]) atomicAdd(&p.out[i], (u64)count[i]);
}
