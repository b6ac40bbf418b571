//go:build !amd64 || purego

package kernel

func hasLinear() bool { return false }

// Hist is never called: NewLinear returns no Linear here.
func (l *Linear) Hist(lo, hi, end int, run Run, h *Histogram) { panic("kernel: no linear histogram") }
