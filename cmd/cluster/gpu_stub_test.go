//go:build !cuda || !linux

package main

import "testing"

// What this build says of GPUs.
const (
	buildTags = ""
	whyNoGPU  = "no GPU support"
)

func TestDevicesWithoutGPUs(t *testing.T) {
	r := succeed(t, "devices")
	if want := "none: this build has no GPU support"; !contains(r.stdout, "cpu", "thread", want) {
		t.Errorf("%q does not say %q", r.stdout, want)
	}
	if r := succeed(t, "devices", "--json"); !contains(r.stdout, `"driver":null`, `"gpus":[]`, `"why":"this build has no GPU support"`) {
		t.Errorf("%q", r.stdout)
	}
}
