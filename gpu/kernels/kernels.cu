/* All kernels as one image. */
#include "sort.cu"
#include "index.cu"
#include "join.cu"
#include "cluster.cu"
#include "patterns.cu"
#include "nearest.cu"
#include "pairs.cu"
#include "pairs_grid.cu"
