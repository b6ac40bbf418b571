package job

import (
	"fmt"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/internal/size"
	"skyjoin/neighbors"
)

// slack is the memory that the program itself may take in addition to --memory.
const slack = 48 << 20

// Needs refuses rows that take more than --memory, before they are read: perRow
// bytes each, and for what is read and written at a time up to fixed.
func (j *Job) Needs(perRow, fixed int64) error {
	rows := j.Cat.Rows()
	if j.B != nil {
		rows = max(rows, j.B.Cat.Rows())
	}
	need := perRow*rows + min(fixed, 8*perRow*rows)
	if j.Run.Memory.Bytes == 0 || j.Run.Device.Value == "gpu" || j.Run.Device.Value == "hybrid" || need <= j.Run.Memory.Bytes+slack {
		return nil
	}
	return exit.OverMemory(fmt.Errorf("%w: %s take about %s, %s are allowed", neighbors.ErrMemory, human.Plural(rows, "row", "rows"), size.Text(need), size.Text(j.Run.Memory.Bytes)))
}

// Working returns how much of --memory the rows that were read leave, at least a
// quarter; 0 without --memory.
func (j *Job) Working() int64 {
	left := j.Run.Memory.Bytes
	for _, s := range j.Sides() {
		if s.Sel == nil || s.Sel.Points == nil {
			continue
		}
		for k := range s.Sel.Points.Dim() {
			c := s.Sel.Points.Column(k)
			left -= 4*int64(len(c.Float32)) + 8*int64(len(c.Float64))
		}
		left -= 4*int64(len(s.Sel.Rows)) + 8*int64(len(s.Sel.Weights))
	}
	return max(left, j.Run.Memory.Bytes/4)
}

// Within returns the joiner with less memory for its plan and batches, if it is the
// CPU, but not less than the minimum of a join.
func Within(joiner neighbors.Joiner, memory int64) neighbors.Joiner {
	c, ok := joiner.(neighbors.CPU)
	if !ok || c.Memory == 0 {
		return joiner
	}
	const least = 4 << 20 // of a thread
	c.Memory = min(c.Memory, max(memory, least*int64(c.Workers())))
	return c
}
