package gpu

// A Survey is what a machine has of GPUs.
type Survey struct {
	Driver string // CUDA version that the driver is for, such as "12.4"; "" without a driver
	GPUs   []Found
	Err    error // why none can be used at all
}

// A Found is a GPU and whether it can be used just now.
type Found struct {
	Device
	Free int64 // bytes of memory that nobody uses
	Err  error // why it cannot be used
}
