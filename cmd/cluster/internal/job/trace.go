package job

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/hybrid"
	"skyjoin/internal/file"
	"skyjoin/io/figure"
)

// checkTraces refuses traces of no known format.
func checkTraces(f *flags.GPU) error {
	for _, path := range f.Traces {
		if ext := filepath.Ext(path); ext == ".json" || ext == ".csv" {
			continue
		}
		if _, err := figure.Format(path); err != nil {
			return exit.Usagef("--trace %s: it is written as .json, .csv, .png, .svg or .pdf", path)
		}
	}
	return nil
}

// writeTraces writes the events to all files of --trace.
func (j *Job) writeTraces(ctx context.Context) error {
	f, events := &j.Run.GPU, j.events
	opt := file.Options{Force: f.Force()}
	for _, path := range f.Traces {
		var err error
		switch filepath.Ext(path) {
		case ".json":
			err = file.Write(ctx, path, opt, func(w io.Writer) error { return json.NewEncoder(w).Encode(events) })
		case ".csv":
			err = file.Write(ctx, path, opt, func(w io.Writer) error { return writeEvents(w, events) })
		default:
			var fig *figure.Figure
			if fig, err = Timeline(events, f.Look()).Figure(); err == nil {
				err = j.saveFigure(ctx, path, fig, opt.Force)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func writeEvents(w io.Writer, events []hybrid.Event) error {
	var b strings.Builder
	b.WriteString("device,worker,start,end,rows,neighbors\n")
	for _, e := range events {
		number := func(v float64) string { return strconv.FormatFloat(v, 'f', 6, 64) }
		fmt.Fprintf(&b, "%s,%d,%s,%s,%d,%d\n", e.Device, e.Worker, number(e.Start), number(e.End), e.Rows, e.Neighbours)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Timeline is the figure of the events.
func Timeline(events []hybrid.Event, look figure.Style) figure.Timeline {
	t := figure.Timeline{Title: "batches", Style: look}
	for _, e := range events {
		t.Bars = append(t.Bars, figure.Bar{Worker: e.Worker, Group: e.Device, Start: e.Start, End: e.End})
	}
	return t
}
