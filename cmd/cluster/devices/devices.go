// Package devices is 'cluster devices', which lists what joins can run on.
package devices

import (
	"context"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/gpu"
	"skyjoin/internal/kernel"
	"skyjoin/internal/size"
)

const doc = `devices
GPUs found, memory, driver; why none is used

Lists what joins can run on: the CPU, and each GPU with its memory and whether it
can be used just now. Where there is no GPU it says why: the program was built
without GPU support, there is no driver, or the driver is too old or sees no
card.

Examples:
  # is the GPU found, and how much of its memory is free?
  cluster devices

  # the same for scripts
  cluster devices --json`

func New(a *job.App) *cobra.Command {
	var run flags.Run
	cmd := flags.Command(doc, func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return exit.Usagef("devices takes no file, but %q was given", args[0])
		}
		return nil
	}, func(cmd *cobra.Command, _ []string) error { return devices(cmd.Context(), a, run.JSON) })
	cmd.Flags().BoolVar(&run.JSON, "json", false, "one JSON object on stdout")
	return cmd
}

func devices(ctx context.Context, a *job.App, asJSON bool) error {
	var s gpu.Survey
	err := exit.Do(ctx, func() error {
		s = gpu.Look()
		return nil
	})
	if err != nil {
		return err
	}
	if asJSON {
		return report.WriteLine(a.Stdout, surveyObject(a.Version, s))
	}
	return surveyTable(s).Write(a.Stdout)
}

// surveyObject is the survey as JSON: "why" is null where a GPU is usable.
func surveyObject(version string, s gpu.Survey) Survey {
	gpus := []GPU{}
	var why, driver *string
	if s.Err != nil {
		why = new(s.Err.Error())
	}
	usable := false
	for _, g := range s.GPUs {
		is := GPU{g.Index, g.Name, g.Capability, g.Processors, g.Memory, g.Free, g.Err == nil, ""}
		if g.Err == nil {
			usable = true
		} else {
			is.Why = g.Err.Error()
			why = &is.Why
		}
		gpus = append(gpus, is)
	}
	if usable {
		why = nil
	}
	if s.Driver != "" {
		driver = &s.Driver
	}
	return Survey{report.NewHead("devices", version), runtime.GOMAXPROCS(0), kernel.Best().Name, driver, gpus, why}
}

// A Survey is the JSON of the command.
type Survey struct {
	report.Head
	Threads      int     `json:"threads" jsonschema:"CPU threads"`
	Instructions string  `json:"instructions" jsonschema:"vector instructions of the CPU that are used"`
	Driver       *string `json:"driver" jsonschema:"version of CUDA that the driver has; null without one"`
	GPUs         []GPU   `json:"gpus" jsonschema:"GPUs that were found"`
	Why          *string `json:"why" jsonschema:"why none is usable; null if one is"`
}

// A GPU is one card.
type GPU struct {
	Index      int    `json:"index" jsonschema:"number for --gpus"`
	Name       string `json:"name" jsonschema:"of the card"`
	Capability string `json:"capability" jsonschema:"compute capability"`
	Processors int    `json:"processors" jsonschema:"multiprocessors"`
	Memory     int64  `json:"memory_bytes" jsonschema:"memory of the card"`
	Free       int64  `json:"free_bytes" jsonschema:"memory that is free"`
	Usable     bool   `json:"usable" jsonschema:"whether joins can run on it"`
	Why        string `json:"why,omitempty" jsonschema:"why it is not usable"`
}

// surveyTable is the survey for people.
func surveyTable(s gpu.Survey) *human.Grid {
	g := &human.Grid{}
	g.Add("cpu", human.Plural(int64(runtime.GOMAXPROCS(0)), "thread", "threads")+", "+kernel.Best().Name)
	if s.Driver != "" {
		g.Add("driver", "CUDA "+s.Driver)
	}
	for _, d := range s.GPUs {
		text := d.Name + ", " + size.Text(d.Memory)
		if d.Err == nil {
			text += " (" + size.Text(d.Free) + " free)"
		}
		text += ", " + human.Plural(int64(d.Processors), "multiprocessor", "multiprocessors") + ", compute capability " + d.Capability
		g.Add("gpu "+strconv.Itoa(d.Index), text)
		if d.Err != nil {
			g.Add("", "not usable: "+d.Err.Error())
		}
	}
	if s.Err != nil {
		g.Add("gpu", "none: "+s.Err.Error())
	}
	return g
}
