/* Fibers: a switch is a dozen instructions on x86-64, ucontext elsewhere. */
#ifndef SKYJOIN_EMULATOR_FIBER_H
#define SKYJOIN_EMULATOR_FIBER_H

#include <stdint.h>
#include <stdlib.h>

enum { fiber_stack = 64 << 10 };

/* A stack ends with its fiber, and fibers with the OS thread that has them. */
struct Stack {
	char *memory = nullptr;

	Stack() = default;
	Stack(Stack &&from) noexcept : memory(from.memory) { from.memory = nullptr; }
	~Stack() { free(memory); }
	char *get() {
		if (memory == nullptr) memory = (char *)malloc(fiber_stack);
		return memory;
	}
};

#if defined(__x86_64__)

struct Fiber {
	void *sp = nullptr;
	Stack stack;
};

extern "C" void skyjoin_switch(void **save, void *load);
__asm__(
    ".text\n.globl skyjoin_switch\n.hidden skyjoin_switch\n.type skyjoin_switch, @function\n"
    "skyjoin_switch:\n"
    "\tpush %rbp\n\tpush %rbx\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n"
    "\tmov %rsp, (%rdi)\n\tmov %rsi, %rsp\n"
    "\tpop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbx\n\tpop %rbp\n"
    "\tret\n"
    ".size skyjoin_switch, .-skyjoin_switch\n");

static inline void switch_fiber(Fiber *from, Fiber *to) { skyjoin_switch(&from->sp, to->sp); }

static inline void start_fiber(Fiber *f, void (*main)()) {
	uintptr_t *top = (uintptr_t *)(((uintptr_t)f->stack.get() + fiber_stack) & ~(uintptr_t)15);
	*--top = 0;                // where main would return to
	*--top = (uintptr_t)main;  // popped by ret: the stack is then 8 off 16, as after a call
	for (int i = 0; i < 6; i++) *--top = 0;
	f->sp = top;
}

#else

#include <ucontext.h>

struct Fiber {
	ucontext_t context;
	Stack stack;
};

static inline void switch_fiber(Fiber *from, Fiber *to) { swapcontext(&from->context, &to->context); }

static inline void start_fiber(Fiber *f, void (*main)()) {
	getcontext(&f->context);
	f->context.uc_stack.ss_sp = f->stack.get();
	f->context.uc_stack.ss_size = fiber_stack;
	f->context.uc_link = nullptr;
	makecontext(&f->context, main, 0);
}

#endif
#endif
