//go:build unix

package tiles

import (
	"os"

	"golang.org/x/sys/unix"
)

// umask returns the bits that new files do not get. Asking sets it for a
// moment, and so it is asked once.
var umask = func() func() os.FileMode {
	m := unix.Umask(0)
	unix.Umask(m)
	return func() os.FileMode { return os.FileMode(m) & 0o777 }
}()
