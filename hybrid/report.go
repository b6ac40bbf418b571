package hybrid

import (
	"time"
)

// A Report says what a Joiner has done since it was made or Reset, over all its
// joins together.
type Report struct {
	Partition  Partition `json:"partition"`
	Joins      int       `json:"joins"`       // whose numbers are added up here
	Seconds    float64   `json:"seconds"`     // T
	CPUSeconds float64   `json:"cpu_seconds"` // T_CPU: when the CPU was through with its last row
	GPUSeconds float64   `json:"gpu_seconds"` // T_GPU: likewise the last of the GPUs
	Imbalance  float64   `json:"load_imbalance"`
	Failed     int64     `json:"failed_queries"`   // queries that a GPU gave back for want of K neighbours
	Reindexed  int       `json:"reindexings"`      // indexes that GPUs built for a larger radius
	Transfer   float64   `json:"transfer_seconds"` // between host and GPUs, all streams together
	Why        string    `json:"why,omitempty"`    // why a side took no part in the last join
	Expected   *Expected `json:"expected,omitempty"`
	Sides      []Side    `json:"sides"` // GPUs, then the CPU
}

// Expected is what the last join was expected to take, in seconds: the CPU
// alone, all GPUs alone, and both together. It is left out where nothing
// depended on it.
type Expected struct {
	CPU  float64 `json:"cpu_seconds"`
	GPU  float64 `json:"gpu_seconds"`
	Both float64 `json:"both_seconds"`

	// Of these, until the first neighbour is found.
	CPUBegin float64 `json:"cpu_begin_seconds"`
	GPUBegin float64 `json:"gpu_begin_seconds"`

	// After is the seconds that it took to find that out. Where the CPU was tried
	// for it, the GPUs began meanwhile.
	After float64 `json:"after_seconds"`
	Tried bool    `json:"tried,omitempty"`
}

// A Side is the part of one device. Candidates are those of joins within a
// radius: estimated by the plan or, where the partition is adaptive, from the
// neighbours found, as an estimate of each row would take longer than the join. Of
// the nearest, and where neighbours were only counted by an adaptive partition,
// they are rows.
type Side struct {
	Device     string  `json:"device"` // "gpu 0", "cpu"
	Rows       int64   `json:"rows"`
	Candidates int64   `json:"candidates"` // estimated, or rows
	Neighbours int64   `json:"neighbors"`  // 0 where they were only counted
	Batches    int     `json:"batches"`    // times it took rows
	Seconds    float64 `json:"seconds"`    // until its last row
	Failed     int64   `json:"failed_queries"`
	Reindexed  int     `json:"reindexings"`
	Transfer   float64 `json:"transfer_seconds"`
	Lost       string  `json:"lost,omitempty"` // the error after which it took no part

	end time.Duration
}

// share is the part of the rate of all sides together that the GPUs are expected
// to have, 0 if nothing is.
func (e *Expected) share() float64 {
	if e == nil || !(e.CPU > 0 && e.GPU > 0) {
		return 0
	}
	return 1 / (1 + e.GPU/e.CPU)
}
