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
Kernel::Kernel(const char *n, Body b, size_t a, int i) : name(n), body(b), args(a), image(i), next(kernels) { kernels = this; }

const Kernel *find(const char *name, int image) {
	for (Kernel *k = kernels; k != nullptr; k = k->next)
		if (k->image == image && strcmp(k->name, name) == 0) return k;
	return nullptr;
}

const char *name(const Kernel *k) { return k->name; }
size_t args_size(const Kernel *k) { return k->args; }

struct Lane {
	Thread thread;
	Fiber fiber;
};

/* One block in flight on this OS thread. */
struct Block {
	std::vector<Lane> lanes;
	std::vector<Warp> warps;
	std::vector<uint32_t> at_barrier;  // lanes of each warp
	Fiber scheduler;
	size_t current;
	size_t live, waiting;
	const Kernel *kernel;
	const void *args;
};

static thread_local Block *block;

/* leave goes on with the next lane of the warp that can run, or with the
 * scheduler when all wait. */
static void leave() {
	Block *b = block;
	size_t i = b->current, base = i & ~(size_t)31;
	uint32_t runnable = b->warps[i / 32].runnable;
	Fiber *from = &b->lanes[i].fiber;
	if (runnable == 0) {
		switch_fiber(from, &b->scheduler);
		return;
	}
	unsigned lane = (unsigned)(i & 31);
	uint32_t above = lane == 31 ? 0 : runnable >> (lane + 1) << (lane + 1);
	size_t next = base + (size_t)__builtin_ctz(above != 0 ? above : runnable);
	if (next == i) return;
	b->current = next;
	self = &b->lanes[next].thread;
	switch_fiber(from, &b->lanes[next].fiber);
}

static void release_barrier() {
	if (block->live == 0 || block->waiting != block->live) return;
	block->waiting = 0;
	for (size_t w = 0; w < block->warps.size(); w++) {
		block->warps[w].runnable |= block->at_barrier[w];
		block->at_barrier[w] = 0;
	}
}

void sync_block() {
	size_t w = block->current / 32;
	uint32_t bit = 1u << (block->current & 31);
	block->warps[w].runnable &= ~bit;
	block->at_barrier[w] |= bit;
	block->waiting++;
	release_barrier();
	leave();
}

void sync_warp(unsigned mask, bool vote) {
	Warp *w = self->warp;
	uint32_t bit = 1u << self->lane;
	w->arrived |= bit;
	if ((w->arrived & mask) != mask) {
		w->runnable &= ~bit;
		leave();
		return;
	}
	w->arrived &= ~mask;
	w->runnable |= mask;
	uint64_t votes = 0;
	if (vote)
		for (int i = 0; i < 32; i++)
			if (mask >> i & 1) votes |= (uint64_t)w->value[i] << i;
	for (int i = 0; i < 32; i++)
		if (mask >> i & 1) w->result[i] = vote ? votes : w->value[w->from[i]];
}

static void lane_main() {
	block->kernel->body(block->args);
	block->warps[block->current / 32].runnable &= ~(1u << (block->current & 31));
	block->live--;
	release_barrier();
	leave();
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
	b.at_barrier.assign(b.warps.size(), 0);
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
		for (size_t i = 0; i < threads; i++) {
			Lane &l = b.lanes[i];
			l.thread = Thread{{(unsigned)i, 0, 0}, &b.warps[i / 32], (unsigned)i % 32};
			b.warps[i / 32].runnable |= 1u << (i % 32);
			start_fiber(&l.fiber, lane_main);
		}
		while (b.live > 0) {
			bool any = false;
			for (size_t w = 0; w < b.warps.size(); w++) {
				if (b.warps[w].runnable == 0) continue;
				any = true;
				b.current = w * 32 + (size_t)__builtin_ctz(b.warps[w].runnable);
				self = &b.lanes[b.current].thread;
				switch_fiber(&b.scheduler, &b.lanes[b.current].fiber);
			}
			if (!any) return false;
		}
	}
	return true;
}

}  // namespace emulator
