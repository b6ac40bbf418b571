package tiles

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A State is the state of a tile.
type State string

// The states of tiles.
const (
	Done    State = "done"
	Failed  State = "failed"
	Running State = "running" // begun and not ended: it runs, or was killed
	Waiting State = "waiting"
)

// A Status is the state of all tiles, as the folder of the plan shows it.
type Status struct {
	Tiles  []State
	Why    map[int]string    // of the failed tiles
	Since  map[int]time.Time // of the running tiles
	Pieces []*Piece          // of the finished tiles
	Merged bool
}

// Count returns how many tiles are in a state.
func (s *Status) Count(state State) (n int) {
	for _, t := range s.Tiles {
		if t == state {
			n++
		}
	}
	return n
}

// In returns the tiles that are in one of the states.
func (s *Status) In(states ...State) (tiles []int) {
	for i, t := range s.Tiles {
		if slices.Contains(states, t) {
			tiles = append(tiles, i)
		}
	}
	return tiles
}

// Status reads the state of the tiles from the folder.
func (p *Plan) Status() (*Status, error) {
	s := &Status{Tiles: make([]State, len(p.Tiles)), Pieces: make([]*Piece, len(p.Tiles)), Why: map[int]string{}, Since: map[int]time.Time{}}
	begun := map[string]time.Time{}
	entries, err := os.ReadDir(filepath.Join(p.dir, tilesDir))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for _, e := range entries {
		if name, ok := strings.CutPrefix(e.Name(), "."); ok && strings.HasSuffix(name, ".tmp") {
			if info, err := e.Info(); err == nil {
				begun[strings.SplitN(name, ".", 2)[0]] = info.ModTime()
			}
		}
	}
	for i := range s.Tiles {
		s.Tiles[i] = Waiting
		q, err := p.piece(i)
		if err != nil {
			s.Tiles[i], s.Why[i] = Failed, strings.TrimPrefix(err.Error(), ErrPlan.Error()+": ")
			continue
		}
		since, runs := begun[filepath.Base(p.piecePath(i))]
		text, failed := os.ReadFile(p.failedPath(i))
		switch {
		case q != nil:
			s.Tiles[i], s.Pieces[i] = Done, q
		case runs:
			s.Tiles[i], s.Since[i] = Running, since
		case failed == nil:
			s.Tiles[i], s.Why[i] = Failed, strings.TrimSpace(string(text))
		}
	}
	var a Answer
	s.Merged = readJSON(filepath.Join(p.dir, mergedDir, answerFile), &a) == nil && a.Plan == p.id
	return s, nil
}
