// Package submit is 'cluster submit', which computes all tiles of a plan, with a scheduler or here.
package submit

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/tiles"
)

const submitLong = `Computes the tiles of a plan that are not done yet, and merges them. With slurm
they are the tasks of a job array, followed by a merge that waits for them; what
follows -- is passed to sbatch. With local they are processes on this machine.
Tiles that fail, or whose machine does, are submitted again. To interrupt this
command leaves the jobs alone: submit again, or look with 'cluster status'.

--print shows the scripts and submits nothing: they are easily changed for other
schedulers.`

const submitExample = `  cluster submit slurm plan/ -- --partition long --cpus-per-task 8 --mem 16G
  cluster submit local plan/ --processes 4
  cluster submit slurm plan/ --print`

type Options struct {
	run       flags.Run
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

func New(planned ...tiled.Command) func(a *job.App) *cobra.Command {
	return func(a *job.App) *cobra.Command { return submitCommand(a, planned) }
}

func submitCommand(a *job.App, planned []tiled.Command) *cobra.Command {
	o := &Options{engine: flags.Choice{Value: "", Values: []string{"slurm", "local"}}}
	cmd := &cobra.Command{
		Use:     "submit [slurm|local] PLAN [-- FLAGS OF SBATCH]",
		Short:   "computes all tiles of a plan with a scheduler, or here",
		Long:    submitLong,
		Example: submitExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); n >= 0 {
				args, o.passed = args[:n], args[n:]
			}
			if len(args) == 2 && slices.Contains(o.engine.Values, args[0]) {
				if cmd.Flags().Changed("engine") {
					return exit.Usagef("%s and --engine %s: one of them is enough", args[0], o.engine.Value)
				}
				o.engine.Value, args = args[0], args[1:]
			}
			if err := tiled.NeedPlan(cmd, args); err != nil {
				return err
			}
			return o.execute(cmd.Context(), a, planned, cmd.Flags(), args)
		},
	}
	fs := cmd.Flags()
	fs.Var(&o.engine, "engine", "who computes (default slurm where there is sbatch, else local)")
	o.processes = flags.Integer{Least: 1}
	fs.Var(&o.processes, "processes", "local: tiles at the same time (default one for each CPU)")
	o.retries = flags.Integer{Value: 2}
	fs.Var(&o.retries, "retries", "how often tiles that failed are submitted again")
	fs.BoolVar(&o.printOnly, "print", false, "print the scripts, submit nothing")
	fs.DurationVar(&o.poll, "poll", 5*time.Second, "slurm: time between looks at the queue")
	o.run.Threads = flags.Integer{Least: 1}
	flags.IdleBeside(fs, []string{"retries", "poll"}, "print")
	fs.VarP(&o.run.Threads, "threads", "t", "CPU threads of a tile (default: what the job has, local 1)")
	o.run.Device = flags.NewChoice("cpu")
	o.run.RegisterTalk(cmd)
	flags.Complete(cmd, "engine", o.engine.Values)
	return cmd
}

// ofOtherEngine are the flags that an engine has no use for.
var ofOtherEngine = map[string][]string{"slurm": {"processes"}, "local": {"poll"}}

func (o *Options) execute(ctx context.Context, a *job.App, planned []tiled.Command, fs *pflag.FlagSet, args []string) (err error) {
	if o.engine.Value == "" {
		o.engine.Value = "local"
		if _, err := exec.LookPath("sbatch"); err == nil {
			o.engine.Value = "slurm"
		}
	}
	if err := flags.RefuseGiven(fs, "is not for --engine "+o.engine.Value, ofOtherEngine[o.engine.Value]...); err != nil {
		return err
	}
	if o.engine.Value == "local" && len(o.passed) > 0 {
		return exit.Usagef("%s: flags after -- are for a scheduler, not for --engine local", strings.Join(o.passed, " "))
	}
	if o.plan, err = tiled.OpenPlan(ctx, args); err != nil {
		return err
	}
	if o.self, err = os.Executable(); err != nil {
		return err
	}
	if o.dir, err = filepath.Abs(o.plan.Dir()); err != nil {
		return err
	}
	todo, err := o.todo()
	if err != nil {
		return err
	}
	if o.printOnly {
		if len(todo) == 0 {
			todo = []int{0}
		}
		_, err := fmt.Fprint(a.Stdout, o.scripts(todo))
		return err
	}
	j, err := job.New(a, "submit", &o.run)
	if err != nil {
		return err
	}
	begun := time.Now()
	phase := j.Rep.Counting("tiles", "tiles", int64(len(o.plan.Tiles)))
	phase.Reach(int64(len(o.plan.Tiles) - len(todo)))
	if o.engine.Value == "slurm" {
		err = o.slurm(ctx, todo, phase)
	} else {
		err = o.local(ctx, todo, phase)
	}
	phase.End()
	j.Sum.Seconds.Join = time.Since(begun).Seconds()
	if err != nil {
		return err
	}
	c, err := tiled.CommandOf(planned, o.plan)
	if err != nil {
		return err
	}
	if err := c.Found(ctx, j, o.plan); err != nil { // as it is there, or anew
		return err
	}
	return j.Finish()
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
	return fmt.Sprintf("%s tile %s --index %s --threads %s --quiet", shellQuoted(o.self), shellQuoted(o.dir), index, threads)
}

// scripts is what --print shows.
func (o *Options) scripts(todo []int) string {
	if o.engine.Value == "local" {
		return fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' %s | xargs -P %d -I{} %s &&\n%s merge %s\n",
			strings.Trim(fmt.Sprint(todo), "[]"), o.parallel(), o.command("{}", o.threadsText("1")), shellQuoted(o.self), shellQuoted(o.dir))
	}
	var b strings.Builder
	var ids []string
	for i, part := range arrays(todo) {
		name := fmt.Sprintf("tiles-%d.sh", i)
		id := fmt.Sprintf("id%d", i)
		ids = append(ids, "$"+id)
		fmt.Fprintf(&b, "# %s, submitted by %s=$(sbatch --parsable %s)\n%s\n", name, id, strings.TrimSpace(strings.Join(o.passed, " ")+" "+name), o.arrayScript(part))
	}
	fmt.Fprintf(&b, "# merge.sh, submitted by sbatch --dependency=afterok:%s --kill-on-invalid-dep=yes %s\n%s", strings.Join(ids, ":"), strings.TrimSpace(strings.Join(o.passed, " ")+" merge.sh"), o.mergeScript())
	return b.String()
}

func (o *Options) threadsText(otherwise string) string {
	if o.run.Threads.Value > 0 {
		return o.run.Threads.String()
	}
	return otherwise
}

func (o *Options) parallel() int {
	if o.processes.Value > 0 {
		return int(min(o.processes.Value, flags.MaxThreads))
	}
	return max(1, runtime.GOMAXPROCS(0)/max(1, int(o.run.Threads.Value)))
}

// shellQuoted quotes a word for a shell.
func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
