package tiles

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"skyjoin/internal/file"
	"skyjoin/internal/par"
	"skyjoin/neighbors"
)

// Run computes a tile and leaves its piece in the folder of the plan. If the piece
// exists already, it is returned as it is. If two processes compute a tile at the
// same time, the first piece stays; both are equal. If the tile fails, the reason is
// noted in the folder for Status.
func (p *Plan) Run(ctx context.Context, tile int, opt Options) (q *Piece, err error) {
	if tile < 0 || tile >= len(p.Tiles) {
		return nil, fmt.Errorf("%w: tile %d, the plan has %d, numbered from 0", neighbors.ErrRequest, tile, len(p.Tiles))
	}
	if !opt.Again {
		if q, err = p.piece(tile); q != nil || err != nil {
			return q, err
		}
	}
	if err := os.MkdirAll(filepath.Join(p.dir, tilesDir), 0o777); err != nil {
		return nil, err
	}
	defer func() {
		switch {
		case err == nil:
			os.Remove(p.failedPath(tile)) // of an earlier run
		case !errors.Is(err, context.Canceled):
			p.Note(tile, err)
		}
	}()
	start := time.Now()
	q = &Piece{Plan: p.id, Tile: tile}
	var replaces func(name string) bool
	if opt.Again {
		replaces = ofPiece.MatchString
	}
	err = file.Folder(p.piecePath(tile), replaces, func(tmp string) error {
		var all []*rows
		for set := range p.Sets {
			r, err := p.load(ctx, tile, set, opt.Threads, q)
			if err != nil {
				return err
			}
			q.note(r)
			all = append(all, r)
		}
		q.warn(p, all, par.Threads(opt.Threads))
		if err := commands[p.Command].run(p, ctx, tmp, all, q, &opt); err != nil {
			return err
		}
		q.Seconds = time.Since(start).Seconds()
		return writeJSON(filepath.Join(tmp, pieceFile), q)
	})
	if err != nil {
		return nil, err
	}
	return q, nil
}
