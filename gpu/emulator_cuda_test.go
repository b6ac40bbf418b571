//go:build cuda && linux

package gpu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"skyjoin/internal/cuda"
)

// Without SKYJOIN_GPU the tests run the kernels on the emulator: the same
// sources compiled by g++ behind a fake driver.
func TestMain(m *testing.M) {
	if os.Getenv("SKYJOIN_GPU") != "" {
		os.Exit(m.Run())
	}
	dir, err := os.MkdirTemp("", "emulator")
	if err == nil {
		err = buildEmulator(filepath.Join(dir, "libcuda.so"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv(cuda.LibraryVariable, filepath.Join(dir, "libcuda.so"))
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func buildEmulator(out string) error {
	emulator := filepath.Join("..", "internal", "cuda", "emulator")
	kernels := filepath.Join("kernels", "kernels.cu")
	args := []string{"-std=c++17", "-O1", "-fPIC", "-shared", "-ffp-contract=off", "-w", "-DSKYJOIN_EMULATOR",
		"-I" + emulator, "-Ikernels", "-I" + filepath.Join("..", "internal", "cuda", "include"), "-o", out,
		filepath.Join(emulator, "device.cpp"), filepath.Join(emulator, "driver.cpp"), "-x", "c++", kernels}
	cmd := exec.Command("g++", args...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the emulator: %w\n%s", err, text)
	}
	return nil
}
