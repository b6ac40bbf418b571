//go:build cuda && linux

package gpu

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"skyjoin/internal/cuda"
	"skyjoin/internal/cuda/emulate"
)

// Without SKYJOIN_GPU the tests run the kernels on the emulator: the same
// sources compiled by g++ behind a fake driver. SKYJOIN_KERNELS names a file for
// the names of the kernels that were run.
func TestMain(m *testing.M) {
	if os.Getenv("SKYJOIN_GPU") == "" {
		library, err := emulate.Library()
		headers := ""
		if err == nil {
			headers, err = emulate.Headers()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Setenv(cuda.LibraryVariable, library)
		os.Setenv(cuda.CompilerVariable, library) // which is both
		os.Setenv("EMULATOR_HEADERS", headers)
		os.Setenv("EMULATOR_DEVICES", "2")
		leastSpread = 0                      // little data, but no card that takes its time
		os.Setenv(cuda.CacheVariable, "off") // else it would not know where allocations end
	}
	code := m.Run()
	if path := os.Getenv("SKYJOIN_KERNELS"); path != "" {
		if err := os.WriteFile(path, []byte(strings.Join(append(slices.Sorted(maps.Keys(cuda.Asked())), ""), "\n")), 0o666); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
