//go:build cuda && linux

package kernels

import "embed"

// Images are the compiled kernels, a file for each generation of GPUs (`make kernels`);
// Published, in a folder of that name, those that only published methods launch.
var (
	//go:embed *.zst
	Images embed.FS
	//go:embed published/*.zst
	Published embed.FS
)
