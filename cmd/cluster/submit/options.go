package submit

import (
	"fmt"
	"runtime"
	"strings"
	"time"
	"unicode"

	"skyjoin/cmd/cluster/internal/exit"
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

// scriptable refuses names that cannot stand in a line of a script.
func (o *Options) scriptable() error {
	for what, name := range map[string]string{"the folder of the plan": o.dir, "this program": o.self, "the flags of sbatch": strings.Join(o.passed, " ")} {
		if strings.ContainsFunc(name, unicode.IsControl) {
			return exit.Usagef("%s, %q, has a line break or another control character, which cannot be in a job script", what, name)
		}
	}
	if o.engine.Value == "slurm" && strings.Contains(o.dir, `\`) {
		return exit.Usagef(`the folder of the plan, %s, has a backslash, with which Slurm writes no logs; rename it, or use submit local`, o.dir)
	}
	return nil
}

// shellQuoted quotes a word for a shell.
func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shellLine is words as a shell is given them, quoted where they must be.
func shellLine(words ...string) string {
	line := make([]string, len(words))
	for i, w := range words {
		if line[i] = w; w == "" || strings.Trim(w, plainLetters) != "" {
			line[i] = shellQuoted(w)
		}
	}
	return strings.Join(line, " ")
}

const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%"
