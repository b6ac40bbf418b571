/* A fake NVRTC: g++ compiles the source as it does the built-in kernels.
 *
 * Environment:
 *   EMULATOR_HEADERS  the folder of device.h
 *   EMULATOR_NVRTC    "fail": every compilation fails */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string>

#include "nvrtc.h"

struct Program {
	std::string source, image, log;
};

extern "C" {

int nvrtcCreateProgram(Program **p, const char *source, const char *, int, const char *const *, const char *const *) {
	*p = new Program{source, "", ""};
	return 0;
}

int nvrtcCompileProgram(Program *p, int, const char *const *) {
	const char *fail = getenv("EMULATOR_NVRTC"), *headers = getenv("EMULATOR_HEADERS");
	if (headers == nullptr || fail != nullptr && strcmp(fail, "fail") == 0) {
		p->log = "the emulated compiler fails";
		return 6;
	}
	Dl_info self;
	dladdr((void *)nvrtcCompileProgram, &self);
	const char *temp = getenv("TMPDIR");
	std::string made = std::string(temp != nullptr && *temp ? temp : P_tmpdir) + "/skyjoin-emulated-XXXXXX";
	char *dir = &made[0];
	if (mkdtemp(dir) == nullptr) return 1;
	std::string cu = std::string(dir) + "/source.cu", so = std::string(dir) + "/kernels.so";
	FILE *f = fopen(cu.c_str(), "w");
	if (f == nullptr) return 1;
	fwrite(p->source.data(), 1, p->source.size(), f);
	fclose(f);
	/* The kernels find the emulator's own symbols in the library that is loaded. */
	std::string command = "g++ -std=c++17 -O0 -fPIC -shared -ffp-contract=off -w -DSKYJOIN_EMULATOR -I'" + std::string(headers) + "' -o '" + so +
	                      "' -x c++ '" + cu + "' -x none '" + self.dli_fname + "' 2>'" + dir + "/log'";
	int failed = system(command.c_str());
	if (failed) {
		char text[4096];
		FILE *log = fopen((std::string(dir) + "/log").c_str(), "r");
		size_t n = log != nullptr ? fread(text, 1, sizeof text, log) : 0;
		if (log != nullptr) fclose(log);
		p->log.assign(text, n);
	}
	p->image = emulator_image + so;
	p->image.push_back(0);
	return failed ? 6 : 0;
}

int nvrtcDestroyProgram(Program **p) {
	delete *p;
	*p = nullptr;
	return 0;
}

int nvrtcGetCUBINSize(Program *p, size_t *n) {
	*n = p->image.size();
	return 0;
}

int nvrtcGetCUBIN(Program *p, char *out) {
	memcpy(out, p->image.data(), p->image.size());
	return 0;
}

int nvrtcGetProgramLogSize(Program *p, size_t *n) {
	*n = p->log.size() + 1;
	return 0;
}

int nvrtcGetProgramLog(Program *p, char *out) {
	memcpy(out, p->log.c_str(), p->log.size() + 1);
	return 0;
}

const char *nvrtcGetErrorString(int) { return "emulated error"; }

}  // extern "C"
