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

const devicesLong = `Lists what joins can run on: the CPU, and each GPU with its memory and whether it
can be used just now. Where there is no GPU it says why: the program was built
without, there is no driver, or the driver is too old or sees no card.`

const devicesExample = `  # is the GPU found, and how much of its memory is free?
  cluster devices

  # the same for scripts
  cluster devices --json`

func New(a *job.App) *cobra.Command {
	var run flags.Run
	cmd := &cobra.Command{
		Use:     "devices",
		Short:   "GPUs found, memory, driver; why none is used",
		Long:    devicesLong,
		Example: devicesExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return exit.Usagef("devices takes no file, but %q was given", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return devices(cmd.Context(), a, run.JSON) },
	}
	cmd.Flags().BoolVar(&run.JSON, "json", false, "one JSON object on stdout")
	return cmd
}

func devices(ctx context.Context, a *job.App, asJSON bool) error {
	var s gpu.Survey
	err := exit.Await(ctx, func() error {
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

// surveyObject is the survey for programs: "why" is null where a GPU is usable.
func surveyObject(version string, s gpu.Survey) report.Object {
	gpus := []report.Object{}
	var why any
	if s.Err != nil {
		why = s.Err.Error()
	}
	usable := 0
	for _, g := range s.GPUs {
		var o report.Object
		o.Set("index", g.Index)
		o.Set("name", g.Name)
		o.Set("capability", g.Capability)
		o.Set("processors", g.Processors)
		o.Set("memory_bytes", g.Memory)
		o.Set("free_bytes", g.Free)
		o.Set("usable", g.Err == nil)
		if g.Err == nil {
			usable++
		} else {
			o.Set("why", g.Err.Error())
			why = g.Err.Error()
		}
		gpus = append(gpus, o)
	}
	if usable > 0 {
		why = nil
	}
	var o report.Object
	o.Set("command", "devices")
	o.Set("version", version)
	o.Set("threads", runtime.GOMAXPROCS(0))
	o.Set("instructions", kernel.Best().Name)
	var driver any
	if s.Driver != "" {
		driver = s.Driver
	}
	o.Set("driver", driver)
	o.Set("gpus", gpus)
	o.Set("why", why)
	return o
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
