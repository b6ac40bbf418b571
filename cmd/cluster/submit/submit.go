// Package submit is 'cluster submit', which computes all tiles of a plan, with a scheduler or here.
package submit

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/tiled"
)

const doc = `submit [slurm|local] PLAN [-- FLAGS OF SBATCH]
computes all tiles of a plan with a scheduler, or here

Computes the tiles of a plan that are not done yet, and merges them. With slurm
they are the tasks of a job array, followed by a merge that waits for them; what
follows -- is passed to sbatch. With local they are processes on this machine.
Tiles that fail, or whose machine does, are submitted again. Interrupting this
command leaves the jobs alone: run it again, or look with 'cluster status'.

--print shows the scripts and submits nothing: they are easily changed for other
schedulers.

Examples:
  cluster submit slurm plan/ -- --partition long --cpus-per-task 8 --mem 16G
  cluster submit local plan/ --processes 4
  cluster submit slurm plan/ --print`

// New returns the command for plans of those that can be planned.
func New(planned ...tiled.Command) func(a *job.App) *cobra.Command {
	return func(a *job.App) *cobra.Command { return submit(a, planned) }
}

func submit(a *job.App, planned []tiled.Command) *cobra.Command {
	o := &Options{}
	cmd := flags.Command(doc, cobra.ArbitraryArgs, func(cmd *cobra.Command, args []string) error {
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
		if err := o.choose(cmd.Flags()); err != nil {
			return err
		}
		return Run(cmd.Context(), a, o, planned, args[0])
	})
	fs := cmd.Flags()
	flags.AddOptional(fs, &o.engine, "engine", "who computes (default slurm where there is sbatch, else local)", "slurm", "local")
	o.processes = flags.Integer{Least: 1}
	fs.Var(&o.processes, "processes", "local: tiles at the same time (default one for each CPU)")
	o.retries = flags.Integer{Value: 2}
	fs.Var(&o.retries, "retries", "how often tiles that failed are submitted again")
	fs.BoolVar(&o.printOnly, "print", false, "print the scripts, submit nothing")
	fs.DurationVar(&o.poll, "poll", 5*time.Second, "slurm: time between looks at the queue")
	o.Run.RegisterThreads(fs, "CPU threads of a tile (default: what the job has, local 1)")
	o.Run.Device = flags.NewChoice("cpu")
	o.Run.RegisterTalk(cmd)
	flags.IdleBeside(fs, []string{"retries", "poll", "json", "quiet", "progress"}, "print")
	return cmd
}

// ofOtherEngine are the flags that an engine has no use for.
var ofOtherEngine = map[string][]string{"slurm": {"processes"}, "local": {"poll"}}

// choose decides which engine computes the tiles, and refuses flags of the others.
func (o *Options) choose(fs *pflag.FlagSet) error {
	if o.engine.Value == "" {
		o.engine.Value = "local"
		if _, err := exec.LookPath("sbatch"); err == nil {
			o.engine.Value = "slurm"
		}
	}
	if o.engine.Value == "local" && len(o.passed) > 0 {
		return exit.Usagef("%s: flags after -- are for a scheduler, not for --engine local", strings.Join(o.passed, " "))
	}
	return flags.RefuseGiven(fs, "is not for --engine "+o.engine.Value, ofOtherEngine[o.engine.Value]...)
}

// Run computes the tiles of a plan that are not done, and merges them.
func Run(ctx context.Context, a *job.App, o *Options, planned []tiled.Command, plan string) (err error) {
	if o.plan, err = tiled.OpenPlan(ctx, plan); err != nil {
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
	if o.printOnly || o.engine.Value == "slurm" {
		if err := o.scriptable(); err != nil {
			return err
		}
	}
	if o.printOnly {
		if len(todo) == 0 {
			todo = []int{0}
		}
		_, err := fmt.Fprint(a.Stdout, o.scripts(todo))
		return err
	}
	j, err := job.New(a, "submit", &o.Flags)
	if err != nil {
		return err
	}
	stop := j.Timed(&j.Sum.Seconds.Join)
	phase := j.Rep.Counting("tiles", "tiles", int64(len(o.plan.Tiles)))
	phase.Reach(int64(len(o.plan.Tiles) - len(todo)))
	if o.engine.Value == "slurm" {
		err = o.slurm(ctx, todo, phase)
	} else {
		err = o.local(ctx, todo, phase)
	}
	phase.End()
	stop()
	if err != nil {
		return err
	}
	c, err := tiled.CommandOf(planned, o.plan)
	if err != nil {
		return err
	}
	if err := c.Merge(ctx, j, o.plan); err != nil { // existing or new
		return err
	}
	return j.Finish(ctx)
}

// scripts is what --print shows.
func (o *Options) scripts(todo []int) string {
	if o.engine.Value == "local" {
		return fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' %s | xargs -P %d -n 1 %s &&\n%s merge %s\n",
			strings.Trim(fmt.Sprint(todo), "[]"), o.parallel(), o.command("", o.threadsText("1")), shellQuoted(o.self), shellQuoted(o.dir))
	}
	var b strings.Builder
	var ids []string
	for i, part := range arrays(todo) {
		name := fmt.Sprintf("tiles-%d.sh", i)
		id := fmt.Sprintf("id%d", i)
		ids = append(ids, "$"+id)
		fmt.Fprintf(&b, "# %s, submitted by %s=$(sbatch --parsable %s)\n%s\n", name, id, shellLine(append(slices.Clone(o.passed), name)...), o.arrayScript(part))
	}
	fmt.Fprintf(&b, "# merge.sh, submitted by sbatch --dependency=afterok:%s --kill-on-invalid-dep=yes %s\n%s", strings.Join(ids, ":"), shellLine(append(slices.Clone(o.passed), "merge.sh")...), o.mergeScript())
	return b.String()
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
