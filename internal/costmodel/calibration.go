package costmodel

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"skyjoin/internal/file"
)

// A Rate is how long one kind of device took for a whole join.
type Rate struct {
	Device  string  `json:"device"`
	Seconds float64 `json:"seconds"`
}

// A Calibration is what was measured of a data set on a host.
type Calibration struct {
	Host       string      `json:"host"`
	Data       []string    `json:"data"` // what the data set is, see Path
	Rows       int64       `json:"rows"`
	Dim        int         `json:"dimensions"`
	Epsilon    float64     `json:"epsilon"`
	Pairs      int64       `json:"pairs"`      // ordered, without self
	Candidates int64       `json:"candidates"` // points in own and adjacent cells, over all rows
	CPU        Rate        `json:"cpu"`
	GPU        *Rate       `json:"gpu,omitempty"`   // nil: there was none
	Batch      *BatchModel `json:"batch,omitempty"` // nil: there was no GPU, or too few pairs
}

// Share returns the part of the work that the GPU should get so that both
// devices end together: its part of the sum of both rates. The work at another
// radius grows alike on both, so that it cancels (Gowanlock, HEGJOIN §4.2.2).
func (c *Calibration) Share() float64 {
	if c.GPU == nil {
		return 0
	}
	return c.CPU.Seconds / (c.CPU.Seconds + c.GPU.Seconds)
}

// Predict returns the seconds that the CPU and the GPU take for a join at the radius,
// each by itself, and both together at the sum of their rates: equations 1 to 3 of
// HEGJoin, §4.2.2. The work grows as the volume of the ball. A device that was not
// measured takes 0 seconds.
func (c *Calibration) Predict(epsilon float64) (cpu, gpu, both float64) {
	v := math.Pow(epsilon/c.Epsilon, float64(c.Dim))
	cpu = c.CPU.Seconds * v
	if c.GPU == nil {
		return cpu, 0, cpu
	}
	gpu = c.GPU.Seconds * v
	return cpu, gpu, cpu * gpu / (cpu + gpu)
}

// GPUFaster predicts whether a join at the radius takes less time on the GPU
// than on the CPU, start being the seconds that taking the GPU into use costs.
func (c *Calibration) GPUFaster(epsilon, start float64) bool {
	if c.GPU == nil {
		return false
	}
	cpu, gpu, _ := c.Predict(epsilon)
	return gpu+start < cpu
}

// Path returns where the calibration of a data set on a host is kept: in dir,
// under a name made of both. data are the things that tell the data set from
// others, such as its files, their sizes, and its columns.
func Path(dir, host string, data []string) string {
	h := sha256.New()
	for _, s := range append([]string{host}, data...) {
		fmt.Fprintf(h, "%d:%s\n", len(s), s)
	}
	return filepath.Join(dir, fmt.Sprintf("calibration-%x.json", h.Sum(nil)[:8]))
}

// Sweep removes what killed processes have left of calibrations in dir, and returns
// its paths.
func Sweep(dir string) []string {
	return file.SweepFolder(dir, func(base string) bool { return strings.HasPrefix(base, "calibration-") })
}

// Save writes the calibration to its path in dir, whole or not at all.
func (c *Calibration) Save(dir string) (path string, err error) {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	path = Path(dir, c.Host, c.Data)
	return path, file.Write(context.Background(), path, file.Options{Force: true}, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// Load returns the calibration of a data set on a host, nil if there is none.
func Load(dir, host string, data []string) (*Calibration, error) {
	path := Path(dir, host, data)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := &Calibration{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("%s: %w; 'cluster calibrate' makes it anew", path, err)
	}
	if !(c.Epsilon > 0) || !(c.CPU.Seconds > 0) || c.Dim < 1 || c.Batch != nil && (!(c.Batch.Epsilon > 0) || c.Batch.Batch < 1) {
		return nil, fmt.Errorf("%s is no calibration; 'cluster calibrate' makes it anew", path)
	}
	return c, nil
}
