//go:build cuda && linux

package gpu

import (
	"errors"
	"fmt"

	"skyjoin/internal/cuda"
)

// Devices lists the GPUs that the driver sees, with an error that says why
// there is none.
func Devices() ([]Device, error) {
	found, err := cuda.Devices()
	if err != nil {
		return nil, err
	}
	devices := make([]Device, len(found))
	for i, d := range found {
		devices[i] = Device{Index: d.Index, Name: d.Name, Memory: d.Memory, Processors: d.Processors,
			Capability: fmt.Sprintf("%d.%d", d.Major, d.Minor)}
	}
	return devices, nil
}

// Look finds the GPUs of the machine and takes each into use for a moment.
func Look() Survey {
	var s Survey
	if v, err := cuda.DriverVersion(); err == nil {
		s.Driver = cuda.VersionText(v)
	}
	devices, err := Devices()
	s.Err = err
	for _, d := range devices {
		f := Found{Device: d}
		f.Free, f.Err = probe(d.Index)
		s.GPUs = append(s.GPUs, f)
	}
	return s
}

// probe loads the kernels on a GPU and returns its free memory.
func probe(index int) (free int64, err error) {
	ctx, err := cuda.Open(index, images)
	if err != nil {
		return 0, err
	}
	free, _, err = ctx.Free()
	return free, errors.Join(err, ctx.Close())
}

// IsAbsent reports whether an error says that there is no GPU to use: the
// program is built without, or there is no driver, or no card.
func IsAbsent(err error) bool {
	return errors.Is(err, cuda.ErrNoDriver) || errors.Is(err, cuda.ErrNoDevice)
}

// IsFull reports whether an error says that memory of a GPU ran out, so that
// parts of the points may fit.
func IsFull(err error) bool { return errors.Is(err, cuda.ErrMemory) }

// IsFailure reports whether an error is the fault of the GPU, or of what it
// cannot do, so that a CPU would do better; wrong requests, consumers that
// failed and cancelled contexts are not.
func IsFailure(err error) bool {
	var driver *cuda.Error
	return errors.As(err, &driver) || errors.Is(err, errors.ErrUnsupported)
}
