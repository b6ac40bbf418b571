//go:build cuda && linux

package cuda

import (
	"errors"
	"testing"
)

// A GPU gets machine code of its own generation, the newest that it runs, and a later one PTX.
func TestImagesFor(t *testing.T) {
	for _, c := range []struct {
		major, minor int
		want         string
	}{
		{7, 0, "sm_70.cubin.zst"}, {7, 2, "sm_70.cubin.zst"}, {7, 5, "sm_75.cubin.zst"}, {8, 0, "sm_80.cubin.zst"}, {8, 6, "sm_86.cubin.zst"},
		{8, 7, "sm_86.cubin.zst"}, {8, 9, "sm_89.cubin.zst"}, {9, 0, "sm_90.cubin.zst"}, {10, 0, "compute_90.ptx.zst"}, {12, 1, "compute_90.ptx.zst"}, {6, 1, ""},
	} {
		d := Device{Name: "card", Major: c.major, Minor: c.minor}
		if got, err := images.choose(d); got != c.want || (c.want == "") != errors.Is(err, ErrDeviceTooOld) {
			t.Errorf("%d.%d: %q, %v, want %q", c.major, c.minor, got, err, c.want)
		}
		if image, err := images.For(d); (err == nil) != (c.want != "") || err == nil && len(image) < 1e6 {
			t.Errorf("%d.%d: %d bytes, %v", c.major, c.minor, len(image), err)
		}
	}
}
