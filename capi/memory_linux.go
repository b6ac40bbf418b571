//go:build cgo

package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"skyjoin/neighbors"
)

// reserve is the address space that threads and their allocators, and the growth of
// the heap by arenas, may take at once. The runtime ends the process where it gets
// none, and takes up to twice of what is alive.
const reserve = 256 << 20

// availableMemory is the bytes that a job may take when its caller names none:
// what the system, the control group and the limit of the address space leave.
// 0 is unknown.
func availableMemory() (int64, error) {
	least := int64(math.MaxInt64)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if _, rest, ok := bytes.Cut(text, []byte("MemAvailable:")); ok {
			if f := bytes.Fields(rest); len(f) > 0 {
				if kib, err := strconv.ParseInt(string(f[0]), 10, 64); err == nil {
					least = kib << 10
				}
			}
		}
	}
	if most, used := readNumber("/sys/fs/cgroup/memory.max"), readNumber("/sys/fs/cgroup/memory.current"); most > 0 {
		least = min(least, max(most-used, 1))
	}
	left, err := addressSpace()
	if err != nil {
		return 0, err
	}
	least = min(least, left)
	if least == math.MaxInt64 {
		return 0, nil
	}
	return least, nil
}

// addressSpace is the bytes that a job may take of the limit of the address space. It
// is an error if less is left than the reserve.
func addressSpace() (int64, error) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur >= math.MaxInt64 {
		return math.MaxInt64, nil
	}
	text, err := os.ReadFile("/proc/self/statm")
	f := bytes.Fields(text)
	if err != nil || len(f) == 0 {
		return math.MaxInt64, nil
	}
	pages, _ := strconv.ParseInt(string(f[0]), 10, 64)
	left := int64(limit.Cur) - pages*int64(os.Getpagesize())
	if left < reserve {
		return 0, fmt.Errorf("%w: %d MiB of address space are left, of the limit of %d MiB; %d MiB are needed to begin", neighbors.ErrMemory,
			left>>20, limit.Cur>>20, reserve>>20)
	}
	return max((left-reserve)/2, 1), nil
}

// readNumber returns the number that a file holds, or 0.
func readNumber(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	return n
}
