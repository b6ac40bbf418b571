//go:build cuda && linux

package cuda

import (
	"fmt"

	"gorgonia.org/cu"
)

// A Device is one GPU as the driver describes it.
type Device struct {
	Index          int
	Name           string
	Memory         int64 // bytes
	Major, Minor   int   // compute capability
	Processors     int   // multiprocessors
	SharedPerBlock int   // bytes a block can have, opted in
	WarpSize       int
}

// sharedOptIn is CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, which
// cu does not name.
const sharedOptIn = cu.DeviceAttribute(97)

// Devices lists the GPUs that the driver sees. The error wraps ErrNoDriver or
// ErrNoDevice where there is nothing to use.
func Devices() ([]Device, error) {
	if err := usable(); err != nil {
		return nil, err
	}
	n, err := cu.NumDevices()
	if err != nil {
		return nil, wrap(err, "counting the GPUs")
	}
	if n == 0 {
		return nil, &Error{Kind: ErrNoDevice, Text: "the driver counts none"}
	}
	devices := make([]Device, n)
	for i := range devices {
		if devices[i], err = describe(i); err != nil {
			return nil, err
		}
	}
	return devices, nil
}

// oldestMajor is the compute capability that the oldest kernels are for.
const oldestMajor = 7

// check says whether there are kernels for the GPU.
func (d Device) check() error {
	if d.Major >= oldestMajor {
		return nil
	}
	return &Error{Kind: ErrDeviceTooOld, Text: fmt.Sprintf("%s has compute capability %d.%d, at least %d.0 is needed", d.Name, d.Major, d.Minor, oldestMajor)}
}

func describe(index int) (Device, error) {
	d := Device{Index: index}
	dev, err := cu.GetDevice(index)
	if err != nil {
		return d, wrap(err, fmt.Sprintf("opening GPU %d", index))
	}
	if d.Name, err = dev.Name(); err != nil {
		return d, wrap(err, "asking the GPU's name")
	}
	if d.Memory, err = dev.TotalMem(); err != nil {
		return d, wrap(err, "asking the GPU's memory")
	}
	for _, a := range []struct {
		attribute cu.DeviceAttribute
		into      *int
	}{
		{cu.ComputeCapabilityMajor, &d.Major},
		{cu.ComputeCapabilityMinor, &d.Minor},
		{cu.MultiprocessorCount, &d.Processors},
		{cu.WarpSize, &d.WarpSize},
		{sharedOptIn, &d.SharedPerBlock},
	} {
		if *a.into, err = dev.Attribute(a.attribute); err != nil {
			return d, wrap(err, "asking the GPU's attributes")
		}
	}
	return d, nil
}
