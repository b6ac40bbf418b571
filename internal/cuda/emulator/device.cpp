/* Runs blocks of fibers: see device.h. */
#include "device.h"

#include <vector>

#include "fiber.h"
#include "run.h"

namespace emulator {

thread_local Thread *self;
thread_local dim3 block_index, block_size, grid_size;
thread_local char *dynamic_shared;

static Kernel *kernels;
Kernel::Kernel(const char *n, Body b, size_t a) : name(n), body(b), args(a), next(kernels) { kernels = this; }

const Kernel *find(const char *name) {
	for (Kernel *k = kernels; k != nullptr; k = k->next)
		if (strcmp(k->name, name) == 0) return k;
	return nullptr;
}

const char *name(const Kernel *k) { return k->name; }
size_t args_size(const Kernel *k) { return k->args; }

enum State { ready, at_barrier, done };

struct Lane {
	Thread thread;
	Fiber fiber;
	State state;
};

/* One block in flight on this OS thread. */
struct Block {
	std::vector<Lane> lanes;
	std::vector<Warp> warps;
	Fiber scheduler;
	size_t current;
	size_t live, waiting;
	bool progress;
	const Kernel *kernel;
	const void *args;
};

static thread_local Block *block;

static void yield() {
	Lane &l = block->lanes[block->current];
	switch_fiber(&l.fiber, &block->scheduler);
}

static void release_barrier() {
	if (block->live > 0 && block->waiting == block->live) {
		block->waiting = 0;
		for (Lane &l : block->lanes)
			if (l.state == at_barrier) l.state = ready;
		block->progress = true;
	}
}

void sync_block() {
	block->lanes[block->current].state = at_barrier;
	block->waiting++;
	block->progress = true;
	release_barrier();
	while (block->lanes[block->current].state == at_barrier) yield();
}

void sync_warp(unsigned mask, int which) {
	Warp *w = self->warp;
	unsigned lane = self->lane;
	w->arrived[which] |= 1u << lane;
	block->progress = true;
	if ((w->arrived[which] & mask) == mask) {
		w->arrived[which] &= ~mask;
		for (int i = 0; i < 32; i++)
			if (mask >> i & 1) w->released[i] = true;
	}
	while (!w->released[lane]) yield();
	w->released[lane] = false;
}

static void lane_main() {
	block->kernel->body(block->args);
	Lane &l = block->lanes[block->current];
	l.state = done;
	block->live--;
	block->progress = true;
	release_barrier();
	switch_fiber(&l.fiber, &block->scheduler);
	abort();  // a finished fiber is never resumed
}

/* run executes a grid. It returns false when a block can make no progress:
 * lanes wait for others that have ended. */
bool run(const Kernel *kernel, unsigned grid, unsigned threads, size_t shared, const void *args) {
	static thread_local Block b;
	block = &b;
	std::vector<char> memory(shared + 16);
	dynamic_shared = (char *)(((uintptr_t)memory.data() + 15) & ~(uintptr_t)15);
	if (b.lanes.size() < threads) b.lanes.resize(threads);
	b.warps.resize((threads + 31) / 32);
	grid_size = {grid, 1, 1};
	block_size = {threads, 1, 1};
	b.kernel = kernel;
	b.args = args;
	for (unsigned g = 0; g < grid; g++) {
		block_index = {g, 0, 0};
		memset(memory.data(), 0xa5, memory.size());
		memset(b.warps.data(), 0, b.warps.size() * sizeof(Warp));
		b.live = threads;
		b.waiting = 0;
		for (size_t i = 0; i < b.lanes.size(); i++) {
			Lane &l = b.lanes[i];
			l.state = i < threads ? ready : done;
			if (i >= threads) continue;
			l.thread = Thread{{(unsigned)i, 0, 0}, &b.warps[i / 32], (unsigned)i % 32};
			start_fiber(&l.fiber, lane_main);
		}
		while (b.live > 0) {
			bool any = false;
			for (size_t w = 0; w < threads; w += 32) {
				/* A warp runs until it waits for another, which saves going
				 * round the whole block at every vote. */
				do {
					b.progress = false;
					for (size_t i = w; i < w + 32 && i < threads; i++) {
						if (b.lanes[i].state != ready) continue;
						b.current = i;
						self = &b.lanes[i].thread;
						switch_fiber(&b.scheduler, &b.lanes[i].fiber);
					}
					any |= b.progress;
				} while (b.progress);
			}
			if (!any) return false;
		}
	}
	return true;
}

}  // namespace emulator
