package job

import (
	"io"
)

// An App is what all commands share.
type App struct {
	Stdout, Stderr io.Writer
	Version        string
}
