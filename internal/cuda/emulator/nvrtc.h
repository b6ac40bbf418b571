/* What the fake compiler hands to the fake driver. */
#ifndef SKYJOIN_EMULATOR_NVRTC_H
#define SKYJOIN_EMULATOR_NVRTC_H

/* An image is this and the path of a shared library, whose kernels make
 * themselves known when it is opened. */
static const char emulator_image[] = "emulated kernels: ";

#endif
