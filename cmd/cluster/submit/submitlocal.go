package submit

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/par"
)

// local computes tiles in processes of this machine, so that one that dies does not end
// the others.
func (o *Options) local(ctx context.Context, todo []int, phase *report.Phase) error {
	for try := int64(0); len(todo) > 0; try++ {
		if try > o.retries.Value {
			return o.unfinished(todo)
		}
		work := make(chan int)
		var all par.Group
		for range min(o.parallel(), len(todo)) {
			all.Go(func() {
				for i := range work {
					if o.process(ctx, i) == nil {
						phase.Add(1)
					}
				}
			})
		}
		for _, i := range todo {
			select {
			case work <- i:
			case <-ctx.Done():
			}
		}
		close(work)
		all.Wait()
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if todo, err = o.todo(); err != nil {
			return err
		}
	}
	o.plan.Clean()
	return nil
}

// process runs a tile. The reason of a failure is recorded in the plan.
func (o *Options) process(ctx context.Context, index int) error {
	cmd := exec.CommandContext(ctx, o.self, "tile", o.dir, "--index", strconv.Itoa(index), "--threads", o.threadsText("1"), "--quiet")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it removes its files
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		// A process that cannot say why has been killed.
		if text := strings.TrimSpace(string(out)); text == "" {
			o.plan.Note(index, err)
		}
	}
	return err
}
