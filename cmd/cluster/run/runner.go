package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/report"
)

// A runner carries out steps, each in a process of its own.
type runner struct {
	options *Options
	self    string // the program
	program string // version and commit
	steps   []*step
	kept    *manifest
	rep     *report.Reporter

	slots int // steps at the same time
}

// share divides threads and memory among the steps that may run at the same time.
func (r *runner) share() error {
	wide := map[int]int{}
	for _, s := range r.steps {
		wide[s.depth]++
		r.slots = max(r.slots, wide[s.depth])
	}
	r.slots = min(r.slots, r.options.Count())
	if n := r.options.atOnce.Value; n > 0 {
		r.slots = int(min(n, int64(len(r.steps))))
	}
	total := r.options.Memory.Bytes
	for _, s := range r.steps {
		given := func(name string) bool { return slices.Contains(s.section.Names(), name) }
		if s.cmd.Flags().Lookup("threads") != nil && !given("threads") {
			s.threads = max(r.options.Count()/r.slots, 1)
		}
		if s.cmd.Flags().Lookup("memory") == nil {
			continue
		}
		if s.memory = total / int64(r.slots); given("memory") {
			var own = r.options.Memory
			k := s.section.Keys[slices.Index(s.section.Names(), "memory")]
			if err := own.Set(strings.Join(k.Values, "")); err != nil {
				return exit.Usagef("%s:%d: memory = %s: %v", s.section.Path, k.Line, strings.Join(k.Values, ""), err)
			}
			if s.memory = own.Bytes; total > 0 && own.Bytes > total {
				return exit.Usagef("%s:%d: memory = %s: all steps together may take %s", s.section.Path, k.Line, &own, &r.options.Memory)
			}
		}
	}
	return nil
}

// look finds what there is to do, without doing it.
func (r *runner) look() {
	for range r.steps { // in the order of their depth
		for _, s := range r.steps {
			s.State, s.Why = upToDate, ""
			now, err := s.now(r.program)
			if err == nil {
				s.Why = r.kept.why(s, now)
			} else {
				s.Why = exit.Message(err)
			}
			for _, before := range s.after {
				if before.State == toDo && s.Why == "" {
					s.Why = "it follows " + before.Name
				}
			}
			if r.options.force {
				s.Why = "--force"
			}
			if s.Why != "" {
				s.State = toDo
			}
		}
	}
	for _, s := range r.steps {
		s.Line = r.line(s)
	}
}

// all carries out all steps, in the order of the file where they do not wait for each
// other. After an error no step begins.
func (r *runner) all(ctx context.Context) error {
	phase := r.rep.Counting("steps", "steps", int64(len(r.steps)))
	defer phase.End()
	type end struct {
		step *step
		err  error
	}
	ends, running, used := make(chan end), 0, int64(0)
	waiting, failed := slices.Clone(r.steps), error(nil)
	total := r.options.Memory.Bytes
	for {
		for i := 0; i < len(waiting) && failed == nil; {
			s := waiting[i]
			if running >= r.slots || total > 0 && used+s.memory > total || slices.ContainsFunc(s.after, func(before *step) bool { return !before.ok }) {
				i++
				continue
			}
			waiting = slices.Delete(waiting, i, i+1)
			running++
			used += s.memory
			go func() { ends <- end{s, exit.Guarded(func() error { return r.one(ctx, s) })} }()
		}
		if running == 0 {
			return exit.First(ctx.Err(), failed)
		}
		e := <-ends
		running--
		used -= e.step.memory
		if e.step.ok = e.err == nil; failed == nil {
			failed = e.err
		}
		phase.Add(1)
	}
}

// one carries out a step, unless it is up to date.
func (r *runner) one(ctx context.Context, s *step) error {
	now, err := s.now(r.program)
	if err != nil {
		return err
	}
	if s.Why = r.kept.why(s, now); s.Why == "" && !r.options.force {
		s.State = upToDate
		r.rep.Say(s.Name + ": " + upToDate)
		return nil
	}
	args := r.line(s)
	if err := r.kept.note(s.Name, now); err != nil {
		return err
	}
	r.rep.Say(s.Name + ": cluster " + human.Shell(args))
	start := time.Now()
	if err := r.process(ctx, s, args); err != nil {
		return err
	}
	s.State, s.Seconds, s.Line = done, time.Since(start).Seconds(), args
	for _, path := range s.Outputs {
		if now.Outputs[path], err = contents(path); err != nil {
			return err
		}
	}
	return r.kept.note(s.Name, now)
}

// line is the command line of a step, with its share of memory and threads. It
// replaces files that the pipeline has written, and no others.
func (r *runner) line(s *step) []string {
	line := slices.Clone(s.Line)
	if s.memory > 0 && !slices.Contains(s.section.Names(), "memory") {
		line = append(line, fmt.Sprintf("--memory=%dB", s.memory))
	}
	if s.threads > 0 {
		line = append(line, "--threads="+strconv.Itoa(s.threads))
	}
	owned := r.options.force || slices.ContainsFunc(s.Outputs, r.kept.owns)
	if owned && s.cmd.Flags().Lookup("force") != nil && !slices.Contains(s.section.Names(), "force") {
		line = append(line, "--force")
	}
	return line
}

// process runs the command line of a step.
func (r *runner) process(ctx context.Context, s *step, line []string) error {
	if s.cmd.Flags().Lookup("json") != nil && !slices.Contains(s.section.Names(), "json") {
		line = append(line, "--json")
	}
	cmd := exec.CommandContext(ctx, r.self, line...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it removes its files
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var said struct{ Warnings []string }
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) && ctx.Err() == nil {
		text := strings.TrimSpace(stderr.String())
		if text == "" {
			text = ended.Error()
		}
		lines := strings.Split(text, "\n")
		return s.failed(ended.ExitCode(), strings.Join(lines[max(len(lines)-2, 0):], "\n"))
	} else if err != nil {
		return err
	}
	if json.Unmarshal(stdout.Bytes(), &said) == nil {
		s.Warnings = said.Warnings
	}
	return nil
}
