package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/hybrid"
	"skyjoin/io/figure"
)

// checkTraces refuses traces that cannot be written.
func checkTraces(f *flags.GPU) error {
	for _, path := range f.Traces {
		switch filepath.Ext(path) {
		case ".json", ".csv":
			if _, err := os.Stat(path); err == nil && !f.Force() {
				return exit.Usagef("%s exists; --force replaces it", path)
			}
			if err := writable(path); err != nil {
				return err
			}
		default:
			if _, err := figure.Format(path); err != nil {
				return exit.Usagef("--trace %s: it is written as .json, .csv, .png, .svg or .pdf", path)
			}
			if err := CheckPlot(path, nil, f.Force()); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeTraces writes the events to all files of --trace.
func writeTraces(f *flags.GPU, events []hybrid.Event) error {
	for _, path := range f.Traces {
		var err error
		switch filepath.Ext(path) {
		case ".json":
			err = replace(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(events) })
		case ".csv":
			err = replace(path, func(w io.Writer) error { return writeEvents(w, events) })
		default:
			err = PlotEvents(path, events, f.Look())
		}
		if err != nil {
			return fmt.Errorf("cannot write %s: %w", path, Bare(err))
		}
	}
	return nil
}

func writeEvents(w io.Writer, events []hybrid.Event) error {
	var b strings.Builder
	b.WriteString("device,worker,start,end,rows,neighbours\n")
	for _, e := range events {
		number := func(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }
		fmt.Fprintf(&b, "%s,%d,%s,%s,%d,%d\n", e.Device, e.Worker, number(e.Start), number(e.End), e.Rows, e.Neighbours)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func PlotEvents(path string, events []hybrid.Event, look figure.Style) error {
	t := figure.Timeline{Title: "batches", Style: look}
	for _, e := range events {
		t.Bars = append(t.Bars, figure.Bar{Worker: e.Worker, Group: e.Device, Start: e.Start, End: e.End})
	}
	fig, err := t.Figure()
	if err != nil {
		return err
	}
	return fig.Save(path)
}

// replace writes a file whole or not at all.
func replace(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".cluster-*.tmp")
	if err != nil {
		return err
	}
	err = errors.Join(write(f), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
