package report

import (
	"bytes"
	"os"
	"strconv"
)

// peakMemory returns the most memory that the process has held in RAM, in
// bytes. It is VmHWM and not getrusage, whose ru_maxrss starts at that of the
// process that started this one.
func peakMemory() int64 { return held("VmHWM:") }

// residentMemory returns the memory that the process holds in RAM now, in bytes.
func residentMemory() int64 { return held("VmRSS:") }

// held returns what the system says of the memory of the process under a name, in
// bytes, 0 if it does not.
func held(name string) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(status) {
		rest, ok := bytes.CutPrefix(line, []byte(name))
		if !ok {
			continue
		}
		if f := bytes.Fields(rest); len(f) > 0 {
			kib, _ := strconv.ParseInt(string(f[0]), 10, 64)
			return kib << 10
		}
	}
	return 0
}
