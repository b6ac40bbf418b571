//go:build cuda && linux

package cuda

import (
	"errors"
	"strings"
	"testing"
)

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		kind error
		text string
	}{
		{check(0, "nothing"), nil, ""},
		{check(2, "allocating on Tesla T4"), ErrMemory, "out of GPU memory: allocating on Tesla T4: out of memory (2)"},
		{check(719, "running"), ErrLost, "the GPU failed: running: unspecified launch failure (719)"},
		{check(222, "loading"), ErrDriverTooOld, "the NVIDIA driver is too old: loading: "},
		{check(209, "loading"), ErrDeviceTooOld, "the GPU is too old: loading: "},
		{check(100, "starting"), ErrNoDevice, "no NVIDIA GPU: starting: "},
		{check(1, "copying"), nil, "copying: invalid argument (1)"},
		{Device{Name: "Tesla P100", Major: 6, Minor: 1}.check(), ErrDeviceTooOld, "the GPU is too old: Tesla P100 has compute capability 6.1, at least 7.0 is needed"},
		{Device{Major: 7}.check(), nil, ""},
	} {
		if c.text == "" {
			if c.err != nil {
				t.Errorf("%v where there is no error", c.err)
			}
			continue
		}
		var e *Error
		if !errors.As(c.err, &e) || !strings.HasPrefix(c.err.Error(), c.text) || strings.Contains(c.err.Error(), "\n") {
			t.Errorf("%v, want an Error of one line that begins with %q", c.err, c.text)
		}
		if c.kind != nil && !errors.Is(c.err, c.kind) {
			t.Errorf("%v is not %v", c.err, c.kind)
		}
		if c.kind == nil && e != nil && e.Kind != nil {
			t.Errorf("%v has the kind %v", c.err, e.Kind)
		}
	}
}

func TestOpenNamesTheGPU(t *testing.T) {
	for _, index := range []int{-1, 99} {
		if _, err := Open(index, images); !errors.Is(err, ErrNoSuchDevice) || !strings.Contains(err.Error(), "opening GPU") {
			t.Errorf("GPU %d: %v, want ErrNoSuchDevice", index, err)
		}
	}
}
