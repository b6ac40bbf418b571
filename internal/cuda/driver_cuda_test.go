//go:build cuda && linux

package cuda

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The driver is opened once in a process, so tests of drivers that fail run
// this binary again in a role.
const roleVariable = "SKYJOIN_TEST_ROLE"

// play carries out a role and returns the exit status.
func play(string) int {
	devices, err := Devices()
	for _, kind := range []struct {
		err  error
		name string
	}{{ErrNoDriver, "no driver"}, {ErrNoDevice, "no device"}, {ErrDriverTooOld, "too old"}} {
		if errors.Is(err, kind.err) {
			fmt.Printf("%s|%v\n", kind.name, err)
			return 0
		}
	}
	v, _ := DriverVersion()
	fmt.Printf("%d GPUs|driver %s|%v\n", len(devices), VersionText(v), err)
	return 0
}

// library compiles a driver library of the given source.
func library(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	c, so := filepath.Join(dir, "driver.c"), filepath.Join(dir, "driver.so")
	if err := os.WriteFile(c, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", so, c).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return so
}

func TestDriversThatFail(t *testing.T) {
	if onCard() {
		t.Skip("these are emulated drivers")
	}
	emulator := os.Getenv(LibraryVariable)
	none := filepath.Join(t.TempDir(), "libcuda.so.1")
	damaged := filepath.Join(t.TempDir(), "libcuda.so.1")
	if err := os.WriteFile(damaged, []byte("no library"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, library string
		env           string
		want          string
	}{
		{"not installed", none, "", "no driver|no NVIDIA driver: " + none + ": cannot open shared object file"},
		{"no library", damaged, "", "no driver|no NVIDIA driver: " + damaged},
		{"another library", library(t, "int cuThing(void) { return 0; }"), "", "no driver|no NVIDIA driver: "},
		{"without a card", emulator, "EMULATOR_DEVICES=0", "no device|no NVIDIA GPU: starting the driver: "},
		{"that cannot start", library(t, "int cuInit(unsigned f) { return 999; }"), "", "0 GPUs|driver 0.0|the GPU failed: starting the driver: error 999 (999)"},
		{"of another time", library(t, "int cuInit(unsigned f) { return 0; } int cuDriverGetVersion(int *v) { *v = 6050; return 0; }"), "", "too old|the NVIDIA driver is too old: it is for CUDA 6.5, at least 11.0 is needed"},
		{"that lacks functions", library(t, "int cuInit(unsigned f) { return 0; } int cuDriverGetVersion(int *v) { *v = 12000; return 0; }"), "", "too old|the NVIDIA driver is too old: counting the GPUs"},
		{"too old", emulator, "EMULATOR_DRIVER=10020", "too old|the NVIDIA driver is too old: it is for CUDA 10.2, at least 11.0 is needed"},
		{"old enough", emulator, "EMULATOR_DRIVER=11000", "2 GPUs|driver 11.0|<nil>"},
		{"with three cards", emulator, "EMULATOR_DEVICES=3", "3 GPUs|driver 12.4|<nil>"},
	} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), roleVariable+"=devices", LibraryVariable+"="+c.library, c.env)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("a driver %s: %v\n%s", c.name, err, out)
			continue
		}
		if !strings.HasPrefix(string(out), c.want) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("a driver %s: %q, want %q", c.name, out, c.want)
		}
	}
}
