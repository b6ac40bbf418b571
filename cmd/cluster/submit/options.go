package submit

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/tiles"
)

// Options are the flags of the command.
type Options struct {
	job.Flags
	engine    flags.Choice
	processes flags.Integer
	retries   flags.Integer
	printOnly bool
	poll      time.Duration

	plan   *tiles.Plan
	self   string   // this program
	dir    string   // the plan
	passed []string // to the scheduler
}

// todo returns the tiles that are not done.
func (o *Options) todo() ([]int, error) {
	s, err := o.plan.Status()
	if err != nil {
		return nil, err
	}
	return s.In(tiles.Failed, tiles.Running, tiles.Waiting), nil
}

// unfinished is the error of tiles that are still not done.
func (o *Options) unfinished(todo []int) error {
	s, err := o.plan.Status()
	if err != nil {
		return err
	}
	for _, i := range todo {
		if why := s.Why[i]; why != "" {
			return fmt.Errorf("%d of %d tiles are not done after %d tries: %s; tile %d: %s", len(todo), len(s.Tiles), o.retries.Value+1, tiled.TileList(todo), i, why)
		}
	}
	return fmt.Errorf("%d of %d tiles are not done after %d tries: %s", len(todo), len(s.Tiles), o.retries.Value+1, tiled.TileList(todo))
}

// command is the command line of a tile for a shell.
func (o *Options) command(index, threads string) string {
	return strings.TrimSpace(fmt.Sprintf("%s tile %s --threads %s --quiet --index %s", shellQuoted(o.self), shellQuoted(o.dir), threads, index))
}

func (o *Options) threadsText(otherwise string) string {
	if o.Run.Threads.Value > 0 {
		return o.Run.Threads.String()
	}
	return otherwise
}

func (o *Options) parallel() int {
	if o.processes.Value > 0 {
		return int(min(o.processes.Value, flags.MaxThreads))
	}
	return max(1, runtime.GOMAXPROCS(0)/max(1, int(o.Run.Threads.Value)))
}

// shellQuoted quotes a word for a shell.
func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
