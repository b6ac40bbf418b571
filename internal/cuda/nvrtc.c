//go:build cuda && linux

/* NVRTC, CUDA's run-time compiler, where it can be opened. Its few functions
 * have kept their signatures since CUDA 7.5 (cuBIN: 11.1), so they are declared
 * here. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct program *Program;

static int (*create)(Program *, const char *, const char *, int, const char *const *, const char *const *);
static int (*compile)(Program, int, const char *const *);
static int (*destroy)(Program *);
static int (*image_size)(Program, size_t *);
static int (*image)(Program, char *);
static int (*log_size)(Program, size_t *);
static int (*get_log)(Program, char *);
static const char *(*error_string)(int);

/* skyjoin_nvrtc_load opens the library at path. It returns 0, or -1 with a
 * message. */
int skyjoin_nvrtc_load(const char *path, char *message, size_t size) {
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL) {
		snprintf(message, size, "%s", dlerror());
		return -1;
	}
	const struct {
		const char *name;
		void **slot;
	} symbols[] = {
	    {"nvrtcCreateProgram", (void **)&create},   {"nvrtcCompileProgram", (void **)&compile},
	    {"nvrtcDestroyProgram", (void **)&destroy}, {"nvrtcGetCUBINSize", (void **)&image_size},
	    {"nvrtcGetCUBIN", (void **)&image},         {"nvrtcGetProgramLogSize", (void **)&log_size},
	    {"nvrtcGetProgramLog", (void **)&get_log},  {"nvrtcGetErrorString", (void **)&error_string},
	};
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
		*symbols[i].slot = dlsym(lib, symbols[i].name);
		if (*symbols[i].slot == NULL) {
			snprintf(message, size, "%s has no %s", path, symbols[i].name);
			return -1;
		}
	}
	return 0;
}

/* skyjoin_nvrtc_compile compiles source for an architecture such as sm_90. It
 * returns the image, to be freed, and its size, or NULL with a message. */
void *skyjoin_nvrtc_compile(const char *source, const char *architecture, size_t *size, char *message, size_t message_size) {
	Program p = NULL;
	const char *const options[] = {architecture, "--std=c++17", "--fmad=false"};
	int code = create(&p, source, "pairs.cu", 0, NULL, NULL);
	if (code != 0) {
		snprintf(message, message_size, "%s", error_string(code));
		return NULL;
	}
	code = compile(p, 3, options);
	void *out = NULL;
	if (code == 0) code = image_size(p, size);
	if (code == 0 && (out = malloc(*size)) != NULL) code = image(p, (char *)out);
	if (code != 0 || out == NULL) {
		snprintf(message, message_size, "%s", code != 0 ? error_string(code) : "out of memory");
		size_t n = 0;
		if (log_size(p, &n) == 0 && n > 1) {
			char *text = malloc(n);
			if (text != NULL && get_log(p, text) == 0) snprintf(message, message_size, "%s", text);
			free(text);
		}
		free(out);
		out = NULL;
	}
	destroy(&p);
	return out;
}
