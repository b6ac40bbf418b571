package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/internal/size"
	"skyjoin/tiles"
)

const statusLong = `Says how far the tiles of a plan are. A tile that runs and one that was killed
look alike from here; the time since it was begun is given.`

func newStatus(a *app) *cobra.Command {
	json := false
	simulated := integer{least: 1}
	cmd := &cobra.Command{
		Use:     "status PLAN",
		Short:   "how far the tiles of a plan are",
		Long:    statusLong,
		Example: "  cluster status plan/",
		Args:    needPlan,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := openPlan(cmd.Context(), args)
			if err != nil {
				return err
			}
			s, err := p.Status()
			if err != nil {
				return err
			}
			if n := int(min(simulated.value, tiles.MaxTiles)); n > 0 {
				return writeForecast(a.stdout, p, n)
			}
			if json {
				return writeStatusJSON(a.stdout, p, s)
			}
			return writeStatus(a.stdout, p, s)
		},
	}
	cmd.Flags().BoolVar(&json, "json", false, "one JSON object on stdout")
	cmd.Flags().Var(&simulated, "simulate", "what is to be expected of so many tiles at the same time, each on one CPU thread")
	return cmd
}

// writeForecast writes what a simulation says, for tasks that take a second to
// begin.
func writeForecast(w io.Writer, p *tiles.Plan, slots int) error {
	f := p.Simulate(tiles.Machines{Slots: slots, Threads: 1, Start: 1})
	g := &grid{}
	g.add("tiles", fmt.Sprintf("%d, %d at the same time", len(p.Tiles), slots))
	g.add("time", fmt.Sprintf("%s, the longest tile %s", secondsText(f.Seconds), secondsText(f.Longest)))
	g.add("work", fmt.Sprintf("%s of one thread, %.0f%% of the time is used", secondsText(f.Work), 100*f.Busy))
	g.add("memory", size.Text(f.Memory)+" for the largest tile")
	g.add("reads", plural(f.Read, "row", "rows"))
	return g.write(w)
}

var states = []tiles.State{tiles.Done, tiles.Running, tiles.Failed, tiles.Waiting}

func writeStatusJSON(w io.Writer, p *tiles.Plan, s *tiles.Status) error {
	var o, why object
	o.set("command", p.Command)
	o.set("tiles", len(s.Tiles))
	for _, state := range states {
		numbers := s.In(state)
		if numbers == nil {
			numbers = []int{}
		}
		o.set(string(state), numbers)
	}
	for _, i := range s.In(tiles.Failed) {
		why.set(strconv.Itoa(i), s.Why[i])
	}
	o.set("why", why)
	o.set("merged", s.Merged)
	return writeLine(w, o)
}

func writeStatus(w io.Writer, p *tiles.Plan, s *tiles.Status) error {
	g := &grid{}
	g.add("plan", fmt.Sprintf("%s of %s in %s", p.Command, plural(p.Rows(), "row", "rows"), plural(int64(len(p.Tiles)), "tile", "tiles")))
	var rows, halo int64
	seconds := 0.0
	for _, q := range s.Pieces {
		if q == nil {
			continue
		}
		seconds += q.Seconds
		for i := range q.Rows {
			rows, halo = rows+q.Rows[i], halo+q.Halo[i]
		}
	}
	done := fmt.Sprint(s.Count(tiles.Done))
	if rows > 0 {
		done += fmt.Sprintf(", with %s and %.1f%% more in halos, in %s", plural(rows, "row", "rows"), 100*float64(halo)/float64(rows), secondsText(seconds))
	}
	g.add("done", done)
	for _, i := range s.In(tiles.Running) {
		g.add("running", fmt.Sprintf("tile %d, begun %s ago", i, secondsText(time.Since(s.Since[i]).Seconds())))
	}
	for _, i := range s.In(tiles.Failed) {
		g.add("failed", fmt.Sprintf("tile %d: %s", i, s.Why[i]))
	}
	if waiting := s.In(tiles.Waiting); len(waiting) > 0 {
		g.add("waiting", tileList(waiting))
	}
	next := "cluster submit " + p.Dir()
	switch {
	case s.Merged:
		next = "merged"
	case s.Count(tiles.Done) == len(s.Tiles):
		next = "cluster merge " + p.Dir()
	}
	g.add("next", next)
	return g.write(w)
}
