/* What the fake driver needs of the fiber machine. */
#ifndef SKYJOIN_EMULATOR_RUN_H
#define SKYJOIN_EMULATOR_RUN_H

#include <stddef.h>

namespace emulator {
struct Kernel;
const Kernel *find(const char *name, int image);
const char *name(const Kernel *kernel);
size_t args_size(const Kernel *kernel);
bool run(const Kernel *kernel, unsigned grid, unsigned threads, size_t shared, const void *args);
}  // namespace emulator

#endif
