//go:build !linux

package exit

import "io"

// Confined runs the program in a child where limits are tight, which is known on
// Linux only.
func Confined(io.Writer) (status int, done bool) { return 0, false }
