//go:build !linux

package job

// freeBytes is not available.
func freeBytes(string) (int64, bool) { return 0, false }
