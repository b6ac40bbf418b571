// Wall and CPU seconds since start, and the line that every peer prints.
#pragma once
#include <sys/resource.h>
#include <time.h>

#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

inline double wall() {
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

inline double cpu() {
	rusage r;
	getrusage(RUSAGE_SELF, &r);
	return r.ru_utime.tv_sec + r.ru_stime.tv_sec + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
}

inline void report(double wall0, double cpu0, const char *check) {
	double w = wall() - wall0, c = cpu() - cpu0;
	rusage r;
	getrusage(RUSAGE_SELF, &r);
	printf("{\"wall\": %.6f, \"cpu\": %.6f, \"mb\": %ld, \"check\": \"%s\"}\n", w, c, r.ru_maxrss / 1024, check);
}

// Runs f(thread, lo, hi) over n items in blocks handed out to threads.
inline void parallel(int threads, size_t n, std::function<void(int, size_t, size_t)> f) {
	std::vector<std::thread> pool;
	const size_t block = 4096;
	size_t next = 0;
	for (int t = 0; t < threads; t++)
		pool.emplace_back([&, t] {
			for (;;) {
				size_t lo = __atomic_fetch_add(&next, block, __ATOMIC_RELAXED);
				if (lo >= n) return;
				f(t, lo, lo + block < n ? lo + block : n);
			}
		});
	for (auto &p : pool) p.join();
}
