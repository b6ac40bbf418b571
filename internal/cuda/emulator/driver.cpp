/* A fake libcuda.so: the part of the driver API that package cuda uses, over
 * host memory and the fiber machine. It checks what a card would not forgive —
 * the thread's context, bounds of copies, frees — fills new memory with 0xa5,
 * and runs nothing before it is waited for, so that code which forgets to wait
 * reads garbage here too.
 *
 * Environment:
 *   EMULATOR_DEVICES  number of GPUs (1)
 *   EMULATOR_MEMORY   bytes of each (1 GiB)
 *   EMULATOR_DRIVER   version answered (12040)
 *   EMULATOR_PEERS    0: no GPU reads the memory of another (1)
 *   EMULATOR_FAIL     "launch:N" the Nth launch kills its GPU; "alloc:N" the
 *                     Nth allocation runs out of memory, "pin:N" that of
 *                     pinned memory; "peer:N" the Nth copy between GPUs kills
 *                     that which asked for it, half done; counted from 1 over
 *                     all GPUs since the variable last changed */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "cuda.h"
#include "nvrtc.h"
#include "run.h"

namespace {

struct Device;
struct Stream;

/* Events may be destroyed before they have passed, and streams before events
 * that were recorded there: both live as long as anything refers to them. */
struct Event {
	bool recorded = false, passed = true;
	std::weak_ptr<Stream> stream;
};

struct Operation {
	std::function<CUresult()> run;
	std::shared_ptr<Event> marks;  // record
	std::shared_ptr<Event> waits;
};

struct Stream {
	Device *device;
	std::deque<Operation> queue;
};

struct Device {
	int index;
	bool lost = false;
	int retained = 0;
	size_t used = 0;
	std::map<uintptr_t, size_t> allocations;
	std::set<Device *> sees;  // whose memory it reads
};

std::recursive_mutex lock;
std::vector<Device *> devices;
std::map<uintptr_t, size_t> pinned;
thread_local Device *current;

typedef std::lock_guard<std::recursive_mutex> Guard;

long long number(const char *name, long long otherwise) {
	const char *v = getenv(name);
	return v != nullptr && *v != 0 ? atoll(v) : otherwise;
}

size_t memory() { return (size_t)number("EMULATOR_MEMORY", 1ll << 30); }

/* injected reports whether this is the call of its kind that is to fail. */
bool injected(const char *kind) {
	static std::string seen;
	static std::map<std::string, long long> count;
	const char *v = getenv("EMULATOR_FAIL");
	std::string want = v != nullptr ? v : "";
	if (want != seen) {
		seen = want;
		count.clear();
	}
	if (want.empty()) return false;
	size_t colon = want.find(':');
	if (want.substr(0, colon) != kind) return false;
	return ++count[kind] == atoll(want.c_str() + colon + 1);
}

#define NEED_CONTEXT()                                        \
	Guard guard(lock);                                        \
	if (current == nullptr) return CUDA_ERROR_INVALID_CONTEXT; \
	if (current->lost) return CUDA_ERROR_LAUNCH_FAILED

/* inside reports whether [p, p+n) lies in one allocation of the map. */
bool inside(const std::map<uintptr_t, size_t> &m, uintptr_t p, size_t n) {
	auto it = m.upper_bound(p);
	if (it == m.begin()) return false;
	--it;
	return p >= it->first && p + n <= it->first + it->second;
}

/* Handles are references of their own. */
std::shared_ptr<Event> &event(CUevent e) { return *(std::shared_ptr<Event> *)e; }
std::shared_ptr<Stream> &stream(CUstream s) { return *(std::shared_ptr<Stream> *)s; }

CUresult step(Stream *s);

/* pass runs what comes before an event. It fails if the event cannot pass any
 * more: what was asked of a lost GPU is never done. */
CUresult pass(Event *e) {
	std::shared_ptr<Stream> s = e->stream.lock();
	while (!e->passed && s != nullptr && !s->queue.empty()) {
		CUresult r = step(s.get());
		if (r != CUDA_SUCCESS) return r;
	}
	return e->passed ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED;
}

CUresult step(Stream *s) {
	Operation op = s->queue.front();
	s->queue.pop_front();
	CUresult r = op.waits != nullptr ? pass(op.waits.get()) : CUDA_SUCCESS;
	if (r != CUDA_SUCCESS) return r;
	if (op.run) {
		r = s->device->lost ? CUDA_ERROR_LAUNCH_FAILED : op.run();
		if (r != CUDA_SUCCESS) s->device->lost = true;
	}
	if (op.marks != nullptr) op.marks->passed = true;
	return r;
}

CUresult drain(Stream *s) {
	while (!s->queue.empty()) {
		CUresult r = step(s);
		if (r != CUDA_SUCCESS) {
			s->queue.clear();
			return r;
		}
	}
	return s->device->lost ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
}

CUresult enqueue(CUstream h, std::function<CUresult()> run, bool now) {
	if (h == nullptr || stream(h)->device != current) return CUDA_ERROR_INVALID_HANDLE;
	Operation op;
	op.run = std::move(run);
	stream(h)->queue.push_back(op);
	return now ? drain(stream(h).get()) : CUDA_SUCCESS;
}

struct Function {
	const emulator::Kernel *kernel;
	size_t shared;
};

std::map<std::string, Function *> functions;

}  // namespace

extern "C" {

CUresult cuInit(unsigned int) {
	Guard guard(lock);
	long long n = number("EMULATOR_DEVICES", 1);
	if (n == 0) return CUDA_ERROR_NO_DEVICE;
	while ((long long)devices.size() < n) {
		Device *d = new Device;
		d->index = (int)devices.size();
		devices.push_back(d);
	}
	return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *v) {
	*v = (int)number("EMULATOR_DRIVER", 12040);
	return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult code, const char **s) {
	switch (code) {
	case CUDA_SUCCESS: *s = "no error"; break;
	case CUDA_ERROR_INVALID_VALUE: *s = "invalid argument"; break;
	case CUDA_ERROR_OUT_OF_MEMORY: *s = "out of memory"; break;
	case CUDA_ERROR_NO_DEVICE: *s = "no CUDA-capable device is detected"; break;
	case CUDA_ERROR_INVALID_CONTEXT: *s = "invalid device context"; break;
	case CUDA_ERROR_INVALID_HANDLE: *s = "invalid resource handle"; break;
	case CUDA_ERROR_NOT_FOUND: *s = "named symbol not found"; break;
	case CUDA_ERROR_LAUNCH_FAILED: *s = "unspecified launch failure"; break;
	default: *s = "emulated error"; break;
	}
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *n) {
	*n = (int)devices.size();
	return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *d, int i) {
	if (i < 0 || i >= (int)devices.size()) return CUDA_ERROR_INVALID_DEVICE;
	*d = i;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice) {
	snprintf(name, (size_t)len, "Emulated GPU");
	return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) {
	*bytes = memory();
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *v, CUdevice_attribute a, CUdevice) {
	switch ((int)a) {
	case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *v = 32; break;
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *v = 2; break;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *v = 9; break;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *v = 0; break;
	case 97: *v = 227 << 10; break;
	default: *v = 0; break;
	}
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d) {
	Guard guard(lock);
	if (d < 0 || d >= (int)devices.size()) return CUDA_ERROR_INVALID_DEVICE;
	devices[(size_t)d]->retained++;
	*c = (CUcontext)devices[(size_t)d];
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice d) {
	Guard guard(lock);
	Device *dev = devices[(size_t)d];
	if (--dev->retained == 0) {  // the context ends, and with it its memory and its failure
		for (auto &a : dev->allocations) free((void *)a.first);
		dev->allocations.clear();
		dev->used = 0;
		dev->lost = false;
		dev->sees.clear();
	}
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext c) {
	current = (Device *)c;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *c) {
	*c = (CUcontext)current;
	return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total) {
	NEED_CONTEXT();
	*total = memory();
	*free_bytes = *total > current->used ? *total - current->used : 0;
	return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr *p, size_t n) {
	NEED_CONTEXT();
	if (n == 0) return CUDA_ERROR_INVALID_VALUE;
	if (injected("alloc") || current->used + n > memory()) return CUDA_ERROR_OUT_OF_MEMORY;
	void *m = aligned_alloc(256, (n + 255) & ~(size_t)255);
	if (m == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
	memset(m, 0xa5, n);
	current->allocations[(uintptr_t)m] = n;
	current->used += n;
	*p = (CUdeviceptr)m;
	return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr p) {
	NEED_CONTEXT();
	auto it = current->allocations.find((uintptr_t)p);
	if (it == current->allocations.end()) return CUDA_ERROR_INVALID_VALUE;
	current->used -= it->second;
	memset((void *)it->first, 0xa5, it->second);
	free((void *)it->first);
	current->allocations.erase(it);
	return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **p, size_t n, unsigned int) {
	NEED_CONTEXT();
	if (injected("pin")) return CUDA_ERROR_OUT_OF_MEMORY;
	*p = malloc(n);
	if (*p == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
	memset(*p, 0xa5, n);
	pinned[(uintptr_t)*p] = n;
	return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *p) {
	NEED_CONTEXT();
	if (pinned.erase((uintptr_t)p) == 0) return CUDA_ERROR_INVALID_VALUE;
	free(p);
	return CUDA_SUCCESS;
}

CUresult cuMemHostRegister(void *p, size_t n, unsigned int) {
	NEED_CONTEXT();
	pinned[(uintptr_t)p] = n;
	return CUDA_SUCCESS;
}

CUresult cuMemHostUnregister(void *p) {
	NEED_CONTEXT();
	return pinned.erase((uintptr_t)p) == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr d, const void *h, size_t n, CUstream s) {
	NEED_CONTEXT();
	if (!inside(current->allocations, (uintptr_t)d, n)) return CUDA_ERROR_INVALID_VALUE;
	return enqueue(s, [=] { memcpy((void *)d, h, n); return CUDA_SUCCESS; }, !inside(pinned, (uintptr_t)h, n));
}

CUresult cuMemcpyDtoHAsync(void *h, CUdeviceptr d, size_t n, CUstream s) {
	NEED_CONTEXT();
	if (!inside(current->allocations, (uintptr_t)d, n)) return CUDA_ERROR_INVALID_VALUE;
	return enqueue(s, [=] { memcpy(h, (void *)d, n); return CUDA_SUCCESS; }, !inside(pinned, (uintptr_t)h, n));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
	NEED_CONTEXT();
	if (!inside(current->allocations, (uintptr_t)to, n) || !inside(current->allocations, (uintptr_t)from, n)) return CUDA_ERROR_INVALID_VALUE;
	return enqueue(s, [=] { memmove((void *)to, (void *)from, n); return CUDA_SUCCESS; }, false);
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice from, CUdevice to) {
	int n = (int)devices.size();
	if (from < 0 || from >= n || to < 0 || to >= n) return CUDA_ERROR_INVALID_DEVICE;
	*can = from != to && number("EMULATOR_PEERS", 1) != 0;
	return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext c, unsigned int flags) {
	NEED_CONTEXT();
	Device *peer = (Device *)c;
	if (flags != 0 || peer == nullptr || peer == current) return CUDA_ERROR_INVALID_VALUE;
	if (number("EMULATOR_PEERS", 1) == 0) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
	return current->sees.insert(peer).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

/* The driver copies by way of the host where peers do not see each other. Code
 * that means to copy directly must not come here then. */
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t n, CUstream s) {
	NEED_CONTEXT();
	Device *source = (Device *)from_context;
	if (source == nullptr || (Device *)to_context != current || current->sees.count(source) == 0) return CUDA_ERROR_INVALID_CONTEXT;
	if (!inside(current->allocations, (uintptr_t)to, n) || !inside(source->allocations, (uintptr_t)from, n)) return CUDA_ERROR_INVALID_VALUE;
	bool fail = injected("peer");
	return enqueue(s, [=] {
		if (!inside(source->allocations, (uintptr_t)from, n)) return CUDA_ERROR_ILLEGAL_ADDRESS;  // freed too soon
		memcpy((void *)to, (void *)from, fail ? n / 2 : n);
		return fail ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS;
	}, false);
}

CUresult cuMemsetD8Async(CUdeviceptr d, unsigned char v, size_t n, CUstream s) {
	NEED_CONTEXT();
	if (!inside(current->allocations, (uintptr_t)d, n)) return CUDA_ERROR_INVALID_VALUE;
	return enqueue(s, [=] { memset((void *)d, v, n); return CUDA_SUCCESS; }, false);
}

/* The images that there are, see SKYJOIN_IMAGE. */
struct Module {
	char there;
};
static Module modules[2];

/* Whether an image is that of published methods: it has a kernel of their names. Machine
 * code is an ELF file, whose sections are listed at its end; PTX is text. */
static int published(const char *image) {
	static const char kernel[] = "pattern_masks";
	if (memcmp(image, "\177ELF", 4) != 0) return strstr(image, kernel) != nullptr;
	uint64_t sections, segments;
	uint16_t sizes[4]; /* of a segment, their number, of a section, their number */
	memcpy(&segments, image + 32, 8);
	memcpy(&sections, image + 40, 8);
	memcpy(sizes, image + 54, 8);
	uint64_t end = sections + (uint64_t)sizes[2] * sizes[3], other = segments + (uint64_t)sizes[0] * sizes[1];
	return memmem(image, end > other ? end : other, kernel, sizeof kernel - 1) != nullptr;
}

CUresult cuModuleLoadData(CUmodule *m, const void *image) {
	NEED_CONTEXT();
	if (image == nullptr) return CUDA_ERROR_INVALID_VALUE;
	if (strncmp((const char *)image, emulator_image, sizeof emulator_image - 1) == 0 &&
	    dlopen((const char *)image + sizeof emulator_image - 1, RTLD_NOW | RTLD_LOCAL) == nullptr) {
		fprintf(stderr, "emulator: %s\n", dlerror());
		return CUDA_ERROR_INVALID_VALUE;
	}
	*m = (CUmodule)&modules[published((const char *)image)];
	return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }

CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name) {
	NEED_CONTEXT();
	const emulator::Kernel *k = emulator::find(name, (int)((Module *)m - modules));
	if (k == nullptr) return CUDA_ERROR_NOT_FOUND;
	Function *&known = functions[name];
	if (known == nullptr) known = new Function{k, 48 << 10};
	*f = (CUfunction)known;
	return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *v, CUfunction_attribute, CUfunction) {
	*v = 0;
	return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int v) {
	if (a == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) ((Function *)f)->shared = (size_t)v;
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction, int block, size_t) {
	*n = 2048 / block;
	return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream s, void **params, void **extra) {
	NEED_CONTEXT();
	Function *fn = (Function *)f;
	if (gx == 0 || gx > 0x7fffffffu || gy != 1 || gz != 1 || bx == 0 || bx > 1024 || by != 1 || bz != 1) return CUDA_ERROR_INVALID_VALUE;
	if (params != nullptr || extra == nullptr || extra[0] != CU_LAUNCH_PARAM_BUFFER_POINTER || extra[2] != CU_LAUNCH_PARAM_BUFFER_SIZE) return CUDA_ERROR_INVALID_VALUE;
	if (shared > fn->shared) return CUDA_ERROR_INVALID_VALUE;
	size_t size = *(size_t *)extra[3];
	if (size != emulator::args_size(fn->kernel)) {
		fprintf(stderr, "emulator: %s takes %zu bytes, got %zu\n", emulator::name(fn->kernel), emulator::args_size(fn->kernel), size);
		return CUDA_ERROR_INVALID_VALUE;
	}
	std::vector<char> args((char *)extra[1], (char *)extra[1] + size);
	bool fail = injected("launch");
	return enqueue(s, [=] {
		if (fail) return CUDA_ERROR_LAUNCH_FAILED;
		if (emulator::run(fn->kernel, gx, bx, shared, args.data())) return CUDA_SUCCESS;
		fprintf(stderr, "emulator: %s: threads wait for others that ended\n", emulator::name(fn->kernel));
		return CUDA_ERROR_LAUNCH_FAILED;
	}, false);
}

CUresult cuStreamCreate(CUstream *s, unsigned int) {
	NEED_CONTEXT();
	auto *n = new std::shared_ptr<Stream>(new Stream);
	(*n)->device = current;
	*s = (CUstream)n;
	return CUDA_SUCCESS;
}

CUresult cuStreamDestroy(CUstream s) {
	Guard guard(lock);
	drain(stream(s).get());
	delete &stream(s);
	return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream s) {
	NEED_CONTEXT();
	return drain(stream(s).get());
}

CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned int) {
	NEED_CONTEXT();
	Operation op;
	op.waits = event(e);
	if (op.waits->recorded) stream(s)->queue.push_back(op);
	return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *e, unsigned int) {
	NEED_CONTEXT();
	*e = (CUevent) new std::shared_ptr<Event>(new Event);
	return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent e) {
	Guard guard(lock);
	delete &event(e);
	return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent e, CUstream s) {
	NEED_CONTEXT();
	Operation op;
	op.marks = event(e);
	op.marks->recorded = true;
	op.marks->passed = false;
	op.marks->stream = stream(s);
	stream(s)->queue.push_back(op);
	return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent e) {
	NEED_CONTEXT();
	return pass(event(e).get());
}

CUresult cuEventElapsedTime(float *ms, CUevent, CUevent) {
	*ms = 1;
	return CUDA_SUCCESS;
}

}  // extern "C"
