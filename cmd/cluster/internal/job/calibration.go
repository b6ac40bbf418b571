package job

import (
	"fmt"
	"os"
	"path/filepath"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/internal/costmodel"
)

const (
	LeastBatch = 1 << 16 // neighbours
	MostBatch  = 32 << 20
	gpuStreams = 3
	// The model is fitted to at least FewBatches large batches, and to several times
	// as many small ones.
	FewBatches = 4
	Times      = 3
)

// BestBatch is the batch size that the model advises.
func BestBatch(m *costmodel.BatchModel, eps float64) int64 {
	return m.Best(eps, LeastBatch, MostBatch, gpuStreams)
}

// Calibrations returns the folder of calibrations and the name of the host.
func Calibrations() (dir, host string, err error) {
	if dir, err = os.UserCacheDir(); err != nil {
		return "", "", fmt.Errorf("there is no cache folder: %w", err)
	}
	if host, err = os.Hostname(); err != nil {
		return "", "", err
	}
	return filepath.Join(dir, "skyjoin"), host, nil
}

// Dataset identifies the points of the job by the files, their sizes, the columns and
// the metric.
func (j *Job) Dataset() (data []string) {
	for _, f := range j.Cat.Files() {
		path, err := filepath.Abs(f.Path)
		if err != nil {
			path = f.Path
		}
		data = append(data, fmt.Sprintf("%s, %d rows, %d bytes", path, f.Rows, f.Bytes))
	}
	return append(data, fmt.Sprintf("%s by %s, scale %s, %d used", flags.JoinList(j.Geo.Columns), j.Geo.MetricName(), j.Scale, j.Sel.Points.Len()))
}

// calibration returns the measurements for the points of the job, nil if there are
// none; the summary names a calibration that cannot be read.
func (j *Job) calibration() *costmodel.Calibration {
	if j.Eps == 0 {
		return nil
	}
	dir, host, err := Calibrations()
	if err != nil {
		return nil
	}
	c, err := costmodel.Load(dir, host, j.Dataset())
	if err != nil {
		j.Sum.Note("calibration", "not used: %v", err)
	}
	return c
}
