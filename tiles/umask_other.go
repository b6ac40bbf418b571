//go:build !unix

package tiles

import "os"

func umask() os.FileMode { return 0o022 }
