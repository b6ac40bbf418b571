//go:build cuda && linux

package cuda

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Images are the kernels compiled for several generations of GPUs, a file for each:
// sm_86.cubin.zst is machine code of compute capability 8.6, which GPUs of 8.6 to 8.9
// run, compute_90.ptx.zst what drivers compile for any GPU from 9.0 on.
type Images struct {
	Files    fs.FS
	Folder   string   // of the files; "": they are in none
	unpacked sync.Map // by name
}

// For returns the kernels for a GPU: the newest machine code that it runs, or else PTX.
func (im *Images) For(d Device) ([]byte, error) {
	name, err := im.choose(d)
	if err != nil {
		return nil, err
	}
	if image, ok := im.unpacked.Load(name); ok {
		return image.([]byte), nil
	}
	packed, err := fs.ReadFile(im.Files, name)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	image, err := z.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	im.unpacked.Store(name, image)
	return image, nil
}

// choose returns the name of the file for a GPU.
func (im *Images) choose(d Device) (name string, err error) {
	files, err := fs.Glob(im.Files, path.Join(im.Folder, "*_*.zst"))
	if err != nil {
		return "", err
	}
	best, own := 0, 10*d.Major+d.Minor
	for _, f := range files {
		var kind string
		var capability int
		if _, err := fmt.Sscanf(strings.NewReplacer("_", " ", ".", " ").Replace(path.Base(f)), "%s %d", &kind, &capability); err != nil || capability > own {
			continue
		}
		if kind == "sm" && capability/10 == d.Major {
			capability += 1000 // before any PTX
		} else if kind != "compute" {
			continue
		}
		if capability > best {
			best, name = capability, f
		}
	}
	if name == "" {
		return "", &Error{Kind: ErrDeviceTooOld, Text: fmt.Sprintf("no kernels are for %s, of compute capability %d.%d", d.Name, d.Major, d.Minor)}
	}
	return name, nil
}
