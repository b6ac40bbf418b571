// nanoflann, its queries in the order of its own leaves (in input order it is
// several times slower). usage: nanoflann FILE.npy count|table|knn EPS|K THREADS
#include <cmath>
#include <cstring>
#include <memory>
#include <nanoflann.hpp>

#include "measure.h"
#include "npy.h"

template <int DIM>
struct Cloud {
	const Matrix &m;
	size_t kdtree_get_point_count() const { return m.n; }
	double kdtree_get_pt(size_t i, size_t d) const { return m.v[i * DIM + d]; }
	template <class B>
	bool kdtree_get_bbox(B &) const {
		return false;
	}
};

// Counter counts what is within a squared radius, that itself included, and keeps
// nothing.
struct Counter {
	typedef double DistanceType;
	typedef uint32_t IndexType;
	double radius;
	long long found;
	size_t size() const { return found; }
	bool full() const { return true; }
	bool addPoint(double dist, uint32_t) {
		found += dist <= radius;
		return true;
	}
	double worstDist() const { return radius; }
};

template <int DIM>
int run(const Matrix &m, const char *job, double arg, int threads) {
	typedef nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Cloud<DIM>>, Cloud<DIM>, DIM, uint32_t> Tree;
	double w0 = wall(), c0 = cpu();
	Cloud<DIM> cloud{m};
	Tree tree(DIM, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(10));
	char check[64];
	std::vector<long long> found(threads * 8);
	if (strcmp(job, "knn") == 0) {
		size_t k = (size_t)arg + 1;
		std::vector<uint32_t> index(m.n * k);
		std::vector<double> dist(m.n * k);
		parallel(threads, m.n, [&](int, size_t lo, size_t hi) {
			for (size_t i = lo; i < hi; i++) {
				size_t q = tree.vAcc[i];
				tree.knnSearch(&m.v[q * DIM], k, &index[q * k], &dist[q * k]);
			}
		});
		double sum = 0;
		for (size_t i = 0; i < m.n; i++) sum += std::sqrt(dist[i * k + k - 1]);
		snprintf(check, sizeof check, "%.6f", sum);
	} else if (strcmp(job, "count") == 0) {
		parallel(threads, m.n, [&](int t, size_t lo, size_t hi) {
			Counter c{arg * arg, 0};
			for (size_t i = lo; i < hi; i++) tree.findNeighbors(c, &m.v[tree.vAcc[i] * DIM], nanoflann::SearchParams());
			found[t * 8] += c.found - (long long)(hi - lo);
		});
		long long sum = 0;
		for (long long f : found) sum += f;
		snprintf(check, sizeof check, "%lld", sum);
	} else {
		std::vector<std::vector<uint32_t>> lists(m.n);
		parallel(threads, m.n, [&](int t, size_t lo, size_t hi) {
			std::vector<std::pair<uint32_t, double>> hits;
			nanoflann::SearchParams params;
			params.sorted = false;
			for (size_t i = lo; i < hi; i++) {
				size_t q = tree.vAcc[i];
				size_t n = tree.radiusSearch(&m.v[q * DIM], arg * arg, hits, params);
				found[t * 8] += (long long)n - 1;
				lists[q].reserve(n);
				for (auto &h : hits)
					if (h.first != q) lists[q].push_back(h.first);
			}
		});
		long long sum = 0;
		for (long long f : found) sum += f;
		snprintf(check, sizeof check, "%lld", sum);
	}
	report(w0, c0, check);
	return 0;
}

int main(int argc, char **argv) {
	if (argc != 5) return 2;
	Matrix m = read_npy(argv[1]);
	double arg = atof(argv[3]);
	int threads = atoi(argv[4]);
	switch (m.dim) {
	case 1: return run<1>(m, argv[2], arg, threads);
	case 2: return run<2>(m, argv[2], arg, threads);
	case 3: return run<3>(m, argv[2], arg, threads);
	case 4: return run<4>(m, argv[2], arg, threads);
	case 5: return run<5>(m, argv[2], arg, threads);
	case 6: return run<6>(m, argv[2], arg, threads);
	case 7: return run<7>(m, argv[2], arg, threads);
	case 8: return run<8>(m, argv[2], arg, threads);
	}
	return 2;
}
