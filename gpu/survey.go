package gpu

import "errors"

// ErrNotBuilt says that the program was built without GPU support.
var ErrNotBuilt = errors.New("this build has no GPU support")

// A Device is one GPU as the driver describes it.
type Device struct {
	Index      int
	Name       string
	Memory     int64  // bytes
	Capability string // compute capability, such as "9.0"
	Processors int    // multiprocessors
}

// A Survey lists the GPUs of a machine.
type Survey struct {
	Driver string // CUDA version that the driver is for, such as "12.4"; "" without a driver
	GPUs   []Found
	Err    error // why none can be used at all
}

// A Found is a GPU of a Survey, and whether it can be used just now.
type Found struct {
	Device
	Free int64 // bytes of memory that nobody uses
	Err  error // why it cannot be used
}
