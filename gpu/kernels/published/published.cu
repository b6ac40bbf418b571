/* The kernels that only published methods launch, as an image of their own. */
#include "patterns.cu"
#include "pairs_tilings.cu"
#include "pairs_vectors.cu"
