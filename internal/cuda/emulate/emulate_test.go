package emulate

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// The emulator is built and found. Tests of other languages learn from the output of
// this one where it is.
func TestLibrary(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("there is no g++")
	}
	library, err := Library()
	if err != nil {
		t.Fatal(err)
	}
	headers, err := Headers()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{library, headers} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	fmt.Printf("emulator: %s\nheaders: %s\n", library, headers)
}
