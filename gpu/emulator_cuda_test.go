//go:build cuda && linux

package gpu

import (
	"fmt"
	"os"
	"testing"

	"skyjoin/internal/cuda"
	"skyjoin/internal/cuda/emulate"
)

// Without SKYJOIN_GPU the tests run the kernels on the emulator: the same
// sources compiled by g++ behind a fake driver.
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
		os.Setenv(cuda.CacheVariable, "off") // else it would not know where allocations end
	}
	os.Exit(m.Run())
}
