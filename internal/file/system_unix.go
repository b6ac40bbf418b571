//go:build unix

package file

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// noFollow is the flag of open that refuses links.
const noFollow = unix.O_NOFOLLOW

// noWait is the flag of open that does not wait for the other end of a pipe.
const noWait = unix.O_NONBLOCK

// renamesOpen tells that a file can be renamed while it is open.
const renamesOpen = true

// errLocked is the error of a lock that another process holds.
var errLocked error = unix.EWOULDBLOCK

// lock locks an open file or folder until it is closed, or its process ends.
func lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// passOwner gives a file the owner and group of another, as far as the process
// may: a user may pass on groups of his own only.
func passOwner(f *os.File, from fs.FileInfo) {
	to, err := f.Stat()
	if err != nil {
		return
	}
	old, ok := from.Sys().(*syscall.Stat_t)
	now, okay := to.Sys().(*syscall.Stat_t)
	if !ok || !okay || old.Uid == now.Uid && old.Gid == now.Gid {
		return
	}
	if f.Chown(int(old.Uid), int(old.Gid)) != nil {
		_ = f.Chown(-1, int(old.Gid)) // best effort
	}
}

// ours reports whether an open file belongs to the user of this process.
func ours(f *os.File) bool {
	st, err := f.Stat()
	if err != nil {
		return false
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(sys.Uid) == os.Geteuid()
}
