package main

import (
	"context"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

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

func newDevices(a *app) *cobra.Command {
	var run runFlags
	cmd := &cobra.Command{
		Use:     "devices",
		Short:   "GPUs found, memory, driver; why none is used",
		Long:    devicesLong,
		Example: devicesExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("devices takes no file, but %q was given", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return devices(cmd.Context(), a, run.json) },
	}
	cmd.Flags().BoolVar(&run.json, "json", false, "one JSON object on stdout")
	return cmd
}

func devices(ctx context.Context, a *app, asJSON bool) error {
	var s gpu.Survey
	err := await(ctx, func() error {
		s = gpu.Look()
		return nil
	})
	if err != nil {
		return err
	}
	if asJSON {
		return writeLine(a.stdout, surveyObject(a.version, s))
	}
	return surveyTable(s).write(a.stdout)
}

// surveyObject is the survey for programs: "why" is null where a GPU is usable.
func surveyObject(version string, s gpu.Survey) object {
	gpus := []object{}
	var why any
	if s.Err != nil {
		why = s.Err.Error()
	}
	usable := 0
	for _, g := range s.GPUs {
		var o object
		o.set("index", g.Index)
		o.set("name", g.Name)
		o.set("capability", g.Capability)
		o.set("processors", g.Processors)
		o.set("memory_bytes", g.Memory)
		o.set("free_bytes", g.Free)
		o.set("usable", g.Err == nil)
		if g.Err == nil {
			usable++
		} else {
			o.set("why", g.Err.Error())
			why = g.Err.Error()
		}
		gpus = append(gpus, o)
	}
	if usable > 0 {
		why = nil
	}
	var o object
	o.set("command", "devices")
	o.set("version", version)
	o.set("threads", runtime.GOMAXPROCS(0))
	o.set("instructions", kernel.Best().Name)
	var driver any
	if s.Driver != "" {
		driver = s.Driver
	}
	o.set("driver", driver)
	o.set("gpus", gpus)
	o.set("why", why)
	return o
}

// surveyTable is the survey for people.
func surveyTable(s gpu.Survey) *grid {
	g := &grid{}
	g.add("cpu", plural(int64(runtime.GOMAXPROCS(0)), "thread", "threads")+", "+kernel.Best().Name)
	if s.Driver != "" {
		g.add("driver", "CUDA "+s.Driver)
	}
	for _, d := range s.GPUs {
		text := d.Name + ", " + size.Text(d.Memory)
		if d.Err == nil {
			text += " (" + size.Text(d.Free) + " free)"
		}
		text += ", " + plural(int64(d.Processors), "multiprocessor", "multiprocessors") + ", compute capability " + d.Capability
		g.add("gpu "+strconv.Itoa(d.Index), text)
		if d.Err != nil {
			g.add("", "not usable: "+d.Err.Error())
		}
	}
	if s.Err != nil {
		g.add("gpu", "none: "+s.Err.Error())
	}
	return g
}
