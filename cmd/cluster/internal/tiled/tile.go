package tiled

import (
	"context"
	"fmt"
	"time"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/neighbors"
	"skyjoin/tiles"
)

// Tile computes a tile on the device that is asked for.
func Tile(ctx context.Context, j *job.Job, p *tiles.Plan, index int, again bool) (q *tiles.Piece, err error) {
	defer j.Sum.Seconds.Lap(&j.Sum.Seconds.Join, time.Now())
	rows := 0
	if index >= 0 && index < len(p.Tiles) {
		rows = int(p.Tiles[index].Rows)
	}
	report, end := j.Rep.Stages()
	defer end()
	err = exit.Await(ctx, func() error {
		return j.On(rows, func(joiner neighbors.Joiner) (err error) {
			q, err = p.Run(ctx, index, tiles.Options{
				Joiner: joiner, Threads: j.Run.Count(), Memory: j.Run.Memory.Bytes, Again: again,
				Progress: func(stage string, done, total int64) { report(fmt.Sprintf("tile %d: %s", index, stage), done, total) },
			})
			return err
		})
	})
	return q, err
}
