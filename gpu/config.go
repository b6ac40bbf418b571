package gpu

import "errors"

// ErrNotBuilt says that the program was built without GPU support.
var ErrNotBuilt = errors.New("this build has no GPU support")

// Config says which GPUs to use and how. The zero value is the first GPU.
type Config struct {
	Devices []int // indexes as the driver numbers them; nil: the first
	Streams int   // streams per device; 0: 3
	Batch   int   // neighbours that a batch has room for, unless one row has more; 0: chosen from the result
}

// A Device is one GPU as the driver describes it.
type Device struct {
	Index      int
	Name       string
	Memory     int64  // bytes
	Capability string // compute capability, such as "9.0"
	Processors int    // multiprocessors
}
