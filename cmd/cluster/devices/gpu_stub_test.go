//go:build !cuda || !linux

package devices

import (
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
)

func TestDevicesWithoutGPUs(t *testing.T) {
	r := cmdtest.Succeed(t, "devices")
	if want := "none: this build has no GPU support"; !cmdtest.Contains(r.Stdout, "cpu", "thread", want) {
		t.Errorf("%q does not say %q", r.Stdout, want)
	}
	if r := cmdtest.Succeed(t, "devices", "--json"); !cmdtest.Contains(r.Stdout, `"driver":null`, `"gpus":[]`, `"why":"this build has no GPU support"`) {
		t.Errorf("%q", r.Stdout)
	}
}
