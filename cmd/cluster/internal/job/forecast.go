package job

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/internal/file"
	"skyjoin/internal/size"
)

// A Forecast estimates, from a sample of rows, the size of a table of pairs and the
// time it takes, so that a run that takes hours or fills a disk says so before it
// starts.
type Forecast struct {
	Pairs   float64 // that will be written
	Bytes   float64 // of the table
	Seconds float64 // to find them; 0: unknown
}

// Smaller runs start without a forecast; tests lower the limits.
var Large = struct{ Pairs, Bytes, Seconds float64 }{
	Pairs:   1 << 26, // smaller tables are never estimated
	Bytes:   1 << 30,
	Seconds: 60,
}

// SamplePairs is how many pairs are written to measure their size.
const SamplePairs = 1 << 18

// Announce prints the forecast if the table will be large.
func (j *Job) Announce(f Forecast, output string) {
	if f.Seconds < Large.Seconds && f.Bytes < Large.Bytes {
		return
	}
	text := fmt.Sprintf("some %s pairs are expected, %s ", human.Commas(TwoDigits(f.Pairs)), size.Text(int64(f.Bytes)))
	if output == flags.Stdout {
		text += "on stdout"
	} else {
		text += "in " + output
		if free, ok := freeBytes(filepath.Dir(output)); ok {
			text += fmt.Sprintf(" (%s are free there)", size.Text(free))
		}
	}
	if f.Seconds > 0 {
		text += fmt.Sprintf("; to find them takes some %s", human.SecondsText(f.Seconds))
	}
	j.Rep.Say(text)
}

// TwoDigits rounds to two digits.
func TwoDigits(v float64) int64 {
	unit := math.Pow(10, max(math.Floor(math.Log10(max(v, 1)))-1, 0))
	return int64(math.Round(v/unit) * unit)
}

// TableBytes returns the size of the table that write makes, in the format of
// output; 0 if that fails, as nothing depends on it. The file is none of the outputs
// that the command names together.
func TableBytes(ctx context.Context, output string, write func(ctx context.Context, path string) error) float64 {
	dir, remove, err := file.Scratch(filepath.Join(os.TempDir(), "cluster"))
	if err != nil {
		return 0
	}
	defer remove()
	path := filepath.Join(dir, "sample"+filepath.Ext(output))
	if output == flags.Stdout {
		path += ".csv" // no extension of its own
	}
	if write(file.Alone(ctx), path) != nil {
		return 0
	}
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return float64(st.Size())
}

// SampledRows returns some of n rows, evenly spread: so many that comparing each of
// them with all data takes a fraction of a second.
func SampledRows(n, data int) []uint32 {
	const sampled, most = 2e8, 256 // distances, rows
	rows := make([]uint32, min(n, most, max(16, sampled/max(1, data))))
	for i := range rows {
		rows[i] = uint32(i * n / len(rows))
	}
	return rows
}
