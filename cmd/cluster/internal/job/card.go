package job

import (
	"slices"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/gpu"
)

// What a run on GPUs takes beside the driver and what the same run takes on the CPU, as
// measured: pinned memory and what compiles kernels, and lists of neighbours on their way.
const (
	cardBuffers = 96 << 20
	cardLists   = 128 << 20 // of listing commands
	cardRow     = 32        // of a row of their first catalog
)

var listing = []string{"classify", "join", "knn"}

// AsksGPU reports whether --device asks for GPUs, whatever they take.
func (j *Job) AsksGPU() bool { return j.Run.Device.Value == "gpu" || j.Run.Device.Value == "hybrid" }

// LeaveForCards takes what the GPUs that --device asks for need from the memory of all
// else that the run does. It opens them, to measure their driver.
func (j *Job) LeaveForCards() error {
	if !j.AsksGPU() || j.Run.Memory.Bytes == 0 || j.cards > 0 {
		return nil
	}
	var cards []*gpu.Joiner
	err := j.Sum.OpenGPU(func() (err error) {
		cards, err = openAll(j.Config())
		return err
	})
	for _, g := range cards {
		err = exit.First(err, g.Close())
	}
	if err != nil {
		return NoDevice(j.Run.Device.Value, err)
	}
	const least = 8 << 20 // with which Allows may be true
	j.cards = j.Sum.Driver + j.cardBuffers()
	j.allowed = j.Run.Memory.Bytes + slack - j.cards
	j.Run.Memory.Bytes = max(j.Run.Memory.Bytes-j.cards, least)
	return nil
}

func (j *Job) cardBuffers() int64 {
	if slices.Contains(listing, j.Sum.Command) {
		return cardBuffers + cardLists + cardRow*j.Cat.Rows()
	}
	return cardBuffers
}

// roomForCard reports whether --memory leaves room for GPUs that --device does not ask
// for: as their driver can be measured only when it stays in memory, it is taken to need
// much.
func (j *Job) roomForCard() bool {
	const driver = 512 << 20
	if _, err := gpu.Devices(); err != nil {
		return true // without one
	}
	return j.AsksGPU() || j.Allows(j.takes+j.cardBuffers()+int64(len(numbers(j.Config())))*driver)
}
