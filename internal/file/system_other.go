//go:build !unix

package file

import (
	"errors"
	"io/fs"
	"os"
)

const noFollow, noWait = 0, 0

const renamesOpen = false

var errLocked = errors.New("locked")

func lock(*os.File) error { return errors.ErrUnsupported }

func passOwner(*os.File, fs.FileInfo) {}

func ours(*os.File) bool { return true }
