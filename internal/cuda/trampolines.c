//go:build cuda && linux

/* One binary for machines with and without a CUDA driver.
 *
 * Linking against libcuda.so would make it a hard need of the program, and
 * gorgonia.org/cu calls cuInit before main and exits where that fails. So each
 * driver symbol is defined here as a jump through a slot. Slots start at a
 * function that answers CUDA_ERROR_NO_DEVICE; skyjoin_cuda_load opens the
 * driver and fills them when a GPU is asked for. Our cuInit touches nothing and
 * succeeds, which disarms cu's; the real one is called by skyjoin_cuda_load.
 *
 * The jump keeps all argument registers, so no prototypes are needed. */

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

#include "symbols.h"

static int no_device(void) { return 100; }  /* CUDA_ERROR_NO_DEVICE */
static int not_found(void) { return 500; }  /* CUDA_ERROR_NOT_FOUND: driver too old */

typedef int (*slot_t)(void);

#if defined(__x86_64__)
#define JUMP(name) "\tjmp *skyjoin_slot_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name)                                  \
	"\tadrp x16, skyjoin_slot_" #name "\n"          \
	"\tldr x16, [x16, :lo12:skyjoin_slot_" #name "]\n" \
	"\tbr x16\n"
#else
#error "no trampolines for this processor"
#endif

#define TRAMPOLINE(name)                                                        \
	__attribute__((visibility("hidden"), used)) slot_t skyjoin_slot_##name = no_device; \
	__asm__(".text\n.balign 16\n.globl " #name "\n.type " #name ", %function\n" \
	        #name ":\n" JUMP(name) ".size " #name ", .-" #name "\n");

DRIVER_SYMBOLS(TRAMPOLINE)

int cuInit(unsigned int flags) { return 0; }

/* skyjoin_cuda_load opens the driver library and calls its cuInit. It returns
 * the driver's error code, or -1 with a message when the library cannot be
 * opened or lacks cuInit. Symbols that an older driver lacks answer
 * CUDA_ERROR_NOT_FOUND. */
int skyjoin_cuda_load(const char *path, char *message, size_t size) {
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL) {
		snprintf(message, size, "%s", dlerror());
		return -1;
	}
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(lib, "cuInit");
	if (init == NULL) {
		snprintf(message, size, "%s has no cuInit", path);
		return -1;
	}
#define FILL(name)                                      \
	skyjoin_slot_##name = (slot_t)dlsym(lib, #name);    \
	if (skyjoin_slot_##name == NULL) skyjoin_slot_##name = not_found;
	DRIVER_SYMBOLS(FILL)
	return init(0);
}
