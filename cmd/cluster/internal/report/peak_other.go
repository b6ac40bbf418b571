//go:build !linux

package report

import "runtime"

// peakMemory returns the memory that the Go runtime has taken from the system,
// in bytes, which does not shrink: where there is no VmHWM it is the nearest
// to the peak.
func peakMemory() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}

func residentMemory() int64 { return peakMemory() }
