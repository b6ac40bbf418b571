// Package emulate builds a CUDA driver that needs no GPU: the kernels of package
// gpu, compiled by g++ and run as fibers, behind the functions of libcuda.so. Tests point
// package cuda at it to run the GPU code without a card.
package emulate

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// flags keep the arithmetic that of nvcc's -fmad=false.
var flags = []string{"-std=c++17", "-O1", "-fPIC", "-ffp-contract=off", "-w", "-DSKYJOIN_EMULATOR"}

// Library builds the emulator, unless it is in the user's cache already, and
// returns its path. It needs g++ and the sources: it is for tests, which run in
// a folder of the module.
func Library() (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	emulator := filepath.Join(root, "internal", "cuda", "emulator")
	kernels := filepath.Join(root, "gpu", "kernels")
	include := filepath.Join(root, "internal", "cuda", "include")
	name, err := cacheName(emulator, kernels, filepath.Join(kernels, "published"), include)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(name); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(filepath.Dir(name), "build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "libcuda.so")
	others := filepath.Join(dir, "published.o")
	include = "-I" + include
	for _, args := range [][]string{
		{"-c", "-DSKYJOIN_IMAGE=1", "-o", others, "-x", "c++", filepath.Join(kernels, "published", "published.cu")},
		{"-shared", "-o", out, others, filepath.Join(emulator, "device.cpp"), filepath.Join(emulator, "driver.cpp"), filepath.Join(emulator, "nvrtc.cpp"), "-x", "c++", filepath.Join(kernels, "kernels.cu")},
	} {
		args = append(append(slices.Clone(flags), "-I"+emulator, "-I"+kernels, include), args...)
		if text, err := exec.Command("g++", args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("building the emulator: %w\n%s", err, text)
		}
	}
	return name, os.Rename(out, name) // of two at a time either does
}

// Headers is the folder of the emulator's headers, for sources that are compiled
// at run time (the emulator's variable EMULATOR_HEADERS).
func Headers() (string, error) {
	root, err := moduleRoot()
	return filepath.Join(root, "internal", "cuda", "emulator"), err
}

// moduleRoot is the folder of go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("the emulator is built from the sources, and this is no folder of the module")
		}
		dir = up
	}
}

// cacheName is where the emulator of the sources as they are is kept.
func cacheName(folders ...string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, flags)
	for _, folder := range folders {
		for _, pattern := range []string{"*.cpp", "*.h", "*.cu", "*.cuh"} {
			files, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil {
				return "", err
			}
			for _, f := range files {
				b, err := os.ReadFile(f)
				if err != nil {
					return "", err
				}
				fmt.Fprintf(h, "%s %d\n", filepath.Base(f), len(b))
				h.Write(b)
			}
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "skyjoin", fmt.Sprintf("emulator-%.8x.so", h.Sum(nil))), nil
}
