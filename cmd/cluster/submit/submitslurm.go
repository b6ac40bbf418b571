package submit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/internal/file"
)

// arraySize is how many tasks an array gets: Slurm's MaxArraySize is 1001
// unless it is configured.
const arraySize = 1000

// arrays divides tiles into those of one array each: tiles base, base+1, ….
func arrays(todo []int) (parts [][]int) {
	for _, i := range todo {
		if n := len(parts); n > 0 && parts[n-1][0]/arraySize == i/arraySize {
			parts[n-1] = append(parts[n-1], i)
			continue
		}
		parts = append(parts, []int{i})
	}
	return parts
}

// arrayScript is the job array of some tiles.
func (o *Options) arrayScript(part []int) string {
	base := part[0] / arraySize * arraySize
	tasks := make([]int, len(part))
	memory := int64(0)
	for k, i := range part {
		tasks[k] = i - base
		memory = max(memory, o.plan.Tiles[i].Memory)
	}
	index := `"$SLURM_ARRAY_TASK_ID"`
	if base > 0 {
		index = fmt.Sprintf(`"$((%d + SLURM_ARRAY_TASK_ID))"`, base)
	}
	return fmt.Sprintf(`#!/bin/sh
#SBATCH --job-name=cluster-tiles
#SBATCH --array=%s
#SBATCH --mem=%dM
#SBATCH --output=%s
exec %s
`, tiled.TileList(tasks), memory*3/2>>20+1, o.logs("tiles-%A_%a.log"), o.command(index, o.threadsText(`"${SLURM_CPUS_PER_TASK:-1}"`)))
}

func (o *Options) mergeScript() string {
	return fmt.Sprintf("#!/bin/sh\n#SBATCH --job-name=cluster-merge\n#SBATCH --output=%s\nexec %s merge %s --quiet\n", o.logs("merge-%j.log"), shellQuoted(o.self), shellQuoted(o.dir))
}

func (o *Options) logs(name string) string {
	// Slurm reads quotes as shells do, and then % as the beginning of a pattern.
	folder := strings.NewReplacer(`"`, `\"`, "%", "%%").Replace(filepath.Join(o.dir, "logs"))
	return `"` + folder + "/" + name + `"`
}

// slurm submits tiles, follows them, and submits again what was not done when
// the queue has run empty.
func (o *Options) slurm(ctx context.Context, todo []int, phase *report.Phase) error {
	if err := os.MkdirAll(filepath.Join(o.dir, "logs"), 0o777); err != nil {
		return err
	}
	merge := ""
	for try := int64(0); len(todo) > 0; try++ {
		if try > o.retries.Value {
			return o.unfinished(todo)
		}
		var ids []string
		for k, part := range arrays(todo) {
			id, err := o.sbatch(ctx, fmt.Sprintf("tiles-%d.sh", k), o.arrayScript(part))
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		var err error
		if merge, err = o.sbatch(ctx, "merge.sh", o.mergeScript(), "--dependency=afterok:"+strings.Join(ids, ":"), "--kill-on-invalid-dep=yes"); err != nil {
			return err
		}
		if todo, err = o.follow(ctx, ids, phase); err != nil {
			return err
		}
		if len(todo) > 0 { // the merge waits for tasks that have failed
			exec.CommandContext(ctx, "scancel", merge).Run() // it may be gone
		}
	}
	if merge == "" {
		return nil
	}
	for {
		queued, err := squeue(ctx, []string{merge})
		if err != nil || !queued {
			return err // whether it has merged is seen by its answer
		}
		if err := sleep(ctx, o.poll); err != nil {
			return err
		}
	}
}

// follow waits until the jobs have left the queue, and returns the tiles that
// are not done then.
func (o *Options) follow(ctx context.Context, ids []string, phase *report.Phase) ([]int, error) {
	for {
		queued, err := squeue(ctx, ids)
		if err != nil {
			return nil, err
		}
		todo, err := o.todo()
		if err != nil {
			return nil, err
		}
		phase.Reach(int64(len(o.plan.Tiles) - len(todo)))
		if !queued || len(todo) == 0 {
			return todo, nil
		}
		if err := sleep(ctx, o.poll); err != nil {
			return nil, err
		}
	}
}

// sbatch submits a script, which is kept in the plan, and returns the number of
// the job.
func (o *Options) sbatch(ctx context.Context, name, script string, flags ...string) (string, error) {
	path := filepath.Join(o.dir, name)
	if err := file.Write(file.Alone(ctx), path, file.Options{Force: true, Perm: 0o777}, func(w io.Writer) error {
		_, err := io.WriteString(w, script)
		return err
	}); err != nil {
		return "", err
	}
	args := append([]string{"--parsable"}, flags...)
	args = append(append(args, o.passed...), path)
	out, err := output(exec.CommandContext(ctx, "sbatch", args...))
	if err != nil {
		return "", fmt.Errorf("sbatch refused %s: %w", strings.TrimSpace(strings.Join(o.passed, " ")+" "+path), err)
	}
	id, _, _ := strings.Cut(strings.TrimSpace(out), ";") // of the cluster
	if _, err := strconv.ParseUint(id, 10, 64); err != nil {
		return "", fmt.Errorf("sbatch printed %q for %s, not the number of a job", human.Short(out, 80), path)
	}
	return id, nil
}

// squeue reports whether some of the jobs are in the queue. A controller that
// does not answer is asked again for a while.
func squeue(ctx context.Context, ids []string) (queued bool, err error) {
	for range 6 {
		var out string
		out, err = output(exec.CommandContext(ctx, "squeue", "--noheader", "--format=%i", "--jobs="+strings.Join(ids, ",")))
		if err == nil {
			return strings.TrimSpace(out) != "", nil
		}
		if strings.Contains(err.Error(), "Invalid job id") { // forgotten: they have ended
			return false, nil
		}
		if err := sleep(ctx, 5*time.Second); err != nil {
			return false, err
		}
	}
	return false, fmt.Errorf("squeue: %w", err)
}

// output runs a program and returns what it prints, or an error that says what
// it complained of.
func output(cmd *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if text := complaint(filepath.Base(cmd.Path), stderr.String()); err != nil && text != "" {
		err = errors.New(text)
	}
	return stdout.String(), err
}

// complaint is the error of a Slurm program in one line: the first two of its error
// lines, or else of all its lines, without its name.
func complaint(program, stderr string) string {
	var said, wrong []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimPrefix(strings.TrimSpace(line), program+": ")
		text, is := strings.CutPrefix(line, "error: ")
		if !is {
			text, is = strings.CutPrefix(line, "fatal: ")
		}
		switch {
		case text == "" || strings.HasPrefix(text, "Try "): // "Try 'sbatch --help' for more information"
		case is:
			wrong = append(wrong, text)
		default:
			said = append(said, text)
		}
	}
	if wrong == nil {
		wrong = said
	}
	return human.Short(strings.Join(wrong[:min(len(wrong), 2)], "; "), 300)
}

// sleep waits, or returns the error of an interrupted run.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
