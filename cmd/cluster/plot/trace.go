package plot

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"skyjoin/cmd/cluster/internal/columns"
	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/hybrid"
)

// trace draws when devices did what.
func (d *drawing) trace(ctx context.Context) error {
	events, err := d.events(ctx)
	if err != nil {
		return err
	}
	d.rows = int64(len(events))
	return d.show(ctx, job.Timeline(events, d.Out.Of()))
}

func (d *drawing) events(ctx context.Context) (events []hybrid.Event, err error) {
	if path := d.paths[0]; filepath.Ext(path) == ".json" {
		file, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(file, &events)
		}
		if err != nil {
			return nil, exit.Usagef("%s: it is no trace: %s", path, exit.Message(err))
		}
		return events, nil
	}
	t, err := d.table(ctx, "start")
	if err != nil {
		return nil, err
	}
	v, err := t.numbers(ctx, "worker", "start", "end", "rows", "neighbors")
	if err != nil {
		return nil, err
	}
	device, err := job.ReadColumns(ctx, t.cat, "device")
	if err != nil {
		return nil, err
	}
	for i := range v[0] {
		row := int(job.CatalogRow(t.sel, uint32(i)))
		events = append(events, hybrid.Event{Device: columns.Text(&device[0], row), Worker: int(v[0][i]), Start: v[1][i], End: v[2][i], Rows: int(v[3][i]), Neighbours: int(v[4][i])})
	}
	return events, nil
}
