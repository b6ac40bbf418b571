package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"skyjoin/internal/pairfunc"
	"skyjoin/internal/size"
)

// A forecast is what a table of pairs is going to take, by a sample of rows: a
// run that takes hours or fills a disk says so before it begins.
type forecast struct {
	pairs   float64 // that will be written
	bytes   float64 // of the table
	seconds float64 // of finding them, 0: not known
}

// Runs that are below begin without a word; tests lower it.
var large = struct{ pairs, bytes, seconds float64 }{
	pairs:   1 << 26, // less are never looked at
	bytes:   1 << 30,
	seconds: 60,
}

// samplePairs is how many are written to see how long they are.
const samplePairs = 1 << 18

// announce says what is to be expected of the table, if it is much.
func (j *job) announce(f forecast, output string) {
	if f.seconds < large.seconds && f.bytes < large.bytes {
		return
	}
	text := fmt.Sprintf("some %s pairs are expected, %s ", commas(twoDigits(f.pairs)), size.Text(int64(f.bytes)))
	if output == stdout {
		text += "on stdout"
	} else {
		text += "in " + output
		if free, ok := freeBytes(filepath.Dir(output)); ok {
			text += fmt.Sprintf(" (%s are free there)", size.Text(free))
		}
	}
	if f.seconds > 0 {
		text += fmt.Sprintf("; to find them takes some %s", secondsText(f.seconds))
	}
	j.rep.say(text)
}

// twoDigits rounds to two digits.
func twoDigits(v float64) int64 {
	unit := math.Pow(10, max(math.Floor(math.Log10(max(v, 1)))-1, 0))
	return int64(math.Round(v/unit) * unit)
}

// tableBytes returns the size of the table that write makes, in a file of the
// format of output; 0 where that fails, as nothing depends on it.
func tableBytes(output string, write func(path string) error) float64 {
	dir, err := os.MkdirTemp("", "cluster-")
	if err != nil {
		return 0
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "sample"+filepath.Ext(output))
	if output == stdout {
		path += ".csv" // no extension of its own
	}
	if write(path) != nil {
		return 0
	}
	st, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return float64(st.Size())
}

// forecast samples the pairs of a function of two rows, which onCPU evaluates
// as fast as the run will.
func (o *statOptions) forecast(ctx context.Context, d *duo, s *pairfunc.Job, p *parameters, onCPU bool) {
	const sampled = 2e7 // pairs, a fraction of a second
	if float64(s.Total()) < large.pairs {
		return
	}
	step := s.A.Rows / max(1, min(s.A.Rows, max(8, sampled/max(1, s.B.Rows))))
	var rows, others []uint32
	start := time.Now()
	r, met, err := s.Sample(ctx, step, func(a, b []uint32) error {
		n := min(len(a), samplePairs-len(rows))
		rows, others = append(rows, a[:n]...), append(others, b[:n]...)
		return nil
	})
	if err != nil || met == 0 {
		return // the run itself will tell
	}
	share := float64(s.Total()) / float64(met)
	f := forecast{pairs: float64(r.Count) * share}
	if onCPU {
		f.seconds = time.Since(start).Seconds() * share
	}
	if len(rows) > 0 {
		f.bytes = f.pairs / float64(len(rows)) * tableBytes(o.out.output, func(path string) error {
			w, err := o.newPairs(ctx, d, p, path)
			if err != nil {
				return err
			}
			defer w.w.Abort()
			if err := w.take(rows, others); err != nil {
				return err
			}
			return w.finish()
		})
	}
	d.announce(f, o.out.output)
}
