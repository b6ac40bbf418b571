package hybrid

import (
	"time"
)

// A Report says what a Joiner has done since it was made or Reset, in all its joins
// together.
type Report struct {
	Partition  Partition `json:"partition"`
	Joins      int       `json:"joins"`       // included in these numbers
	Seconds    float64   `json:"seconds"`     // T
	CPUSeconds float64   `json:"cpu_seconds"` // T_CPU: when the CPU finished its last row
	GPUSeconds float64   `json:"gpu_seconds"` // T_GPU: when the GPUs finished their last row
	Imbalance  float64   `json:"load_imbalance"`
	Failed     int64     `json:"failed_queries"`   // queries that a GPU put back because it found fewer than K neighbours
	Reindexed  int       `json:"reindexings"`      // indexes that GPUs rebuilt for a larger radius
	Transfer   float64   `json:"transfer_seconds"` // between host and GPUs, summed over all streams
	Why        string    `json:"why,omitempty"`    // why a side did not take part in the last join
	Expected   *Expected `json:"expected,omitempty"`
	Sides      []Side    `json:"sides"` // GPUs, then the CPU
}

// Expected is the expected time of the last join in seconds: with the CPU alone,
// with all GPUs alone, and with both. It is left out if nothing depended on it. With
// fixed shares it is what the model of HEGJoin, §4.2.2, says.
type Expected struct {
	CPU  float64 `json:"cpu_seconds"`
	GPU  float64 `json:"gpu_seconds"`
	Both float64 `json:"both_seconds"`

	// The parts of these until the first neighbour is found.
	CPUBegin float64 `json:"cpu_begin_seconds"`
	GPUBegin float64 `json:"gpu_begin_seconds"`

	// After is the time in seconds that it took to find out. If the CPU was tried
	// for that, the GPUs started meanwhile.
	After float64 `json:"after_seconds"`
	Tried bool    `json:"tried,omitempty"`
}

// A Side is the part of one device. For joins within a radius, candidates are
// estimated by the plan or, with the adaptive partition, from the neighbours found,
// because estimating each row would take longer than the join. For nearest
// neighbours, and where an adaptive partition only counts neighbours, they are rows.
type Side struct {
	Device     string  `json:"device"` // "gpu 0", "cpu"
	Rows       int64   `json:"rows"`
	Candidates int64   `json:"candidates"` // estimated, or rows
	Neighbours int64   `json:"neighbors"`  // 0 if they were only counted
	Batches    int     `json:"batches"`    // how often it took rows
	Seconds    float64 `json:"seconds"`    // until its last row
	Failed     int64   `json:"failed_queries"`
	Reindexed  int     `json:"reindexings"`
	Transfer   float64 `json:"transfer_seconds"`
	Lost       string  `json:"lost,omitempty"` // the error after which it no longer took part

	end time.Duration
}

// share returns the part of the total rate that the GPUs are expected to contribute,
// 0 if there is no expectation.
func (e *Expected) share() float64 {
	if e == nil || !(e.CPU > 0 && e.GPU > 0) {
		return 0
	}
	return 1 / (1 + e.GPU/e.CPU)
}
