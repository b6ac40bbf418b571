// ANN 1.1, k nearest neighbours. usage: ann FILE.npy knn K 1
#include <ANN/ANN.h>

#include <cmath>

#include "measure.h"
#include "npy.h"

int main(int argc, char **argv) {
	if (argc != 5) return 2;
	Matrix m = read_npy(argv[1]);
	int k = atoi(argv[3]) + 1;
	double w0 = wall(), c0 = cpu();
	std::vector<ANNpoint> rows(m.n);
	for (size_t i = 0; i < m.n; i++) rows[i] = &m.v[i * m.dim];
	ANNkd_tree tree(rows.data(), (int)m.n, (int)m.dim);
	std::vector<ANNidx> index(k);
	std::vector<ANNdist> dist(k);
	double sum = 0;
	for (size_t i = 0; i < m.n; i++) {
		tree.annkSearch(rows[i], k, index.data(), dist.data(), 0);
		sum += std::sqrt(dist[k - 1]);
	}
	char check[64];
	snprintf(check, sizeof check, "%.6f", sum);
	report(w0, c0, check);
	return 0;
}
