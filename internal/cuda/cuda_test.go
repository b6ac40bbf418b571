//go:build cuda && linux

package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"skyjoin/internal/cuda/emulate"
)

// images are the kernels of package gpu, of which the tests use a few.
var images = &Images{Files: os.DirFS(filepath.Join("..", "..", "gpu", "kernels"))}

// Without SKYJOIN_GPU the tests run on the emulator.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		if role := os.Getenv(roleVariable); role != "" {
			return play(role)
		}
		var err error
		if !onCard() {
			var library string
			if library, err = emulate.Library(); err == nil {
				os.Setenv(LibraryVariable, library)
				os.Setenv("EMULATOR_DEVICES", "2")
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

func onCard() bool { return os.Getenv("SKYJOIN_GPU") != "" }

// open takes a GPU into use for the test.
func open(t *testing.T) (*Context, *Stream) {
	t.Helper()
	c, err := Open(0, images)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, s
}
