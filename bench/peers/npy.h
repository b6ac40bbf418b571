// Reads a float64, C-ordered, two-dimensional .npy file.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct Matrix {
	size_t n = 0, dim = 0;
	std::vector<double> v;
};

inline Matrix read_npy(const char *path) {
	FILE *f = fopen(path, "rb");
	if (f == nullptr) {
		perror(path);
		exit(1);
	}
	unsigned char head[10];
	if (fread(head, 1, 10, f) != 10) exit(1);
	std::string text(head[8] + 256 * head[9], ' ');
	if (fread(&text[0], 1, text.size(), f) != text.size()) exit(1);
	Matrix m;
	size_t at = text.find("'shape': (");
	if (text.find("<f8") == std::string::npos || sscanf(text.c_str() + at + 10, "%zu, %zu", &m.n, &m.dim) != 2) {
		fprintf(stderr, "%s: not a float64 matrix\n", path);
		exit(1);
	}
	m.v.resize(m.n * m.dim);
	if (fread(m.v.data(), 8, m.v.size(), f) != m.v.size()) exit(1);
	fclose(f);
	return m;
}
