// Package status is 'cluster status', which says how far the tiles of a plan are.
package status

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/cmd/cluster/internal/tiled"
	"skyjoin/internal/size"
	"skyjoin/tiles"
)

const doc = `status PLAN
how far the tiles of a plan are

Says how far the tiles of a plan are. A running tile and a killed one look
alike from here, so the time since it began is shown.

Examples:
  cluster status plan/`

func New(a *job.App) *cobra.Command {
	json := false
	simulated := flags.Integer{Least: 1}
	cmd := flags.Command(doc, tiled.NeedPlan, func(cmd *cobra.Command, args []string) error {
		p, err := tiled.OpenPlan(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		s, err := p.Status()
		if err != nil {
			return err
		}
		slots := int(min(simulated.Value, tiles.MaxTiles))
		switch {
		case json:
			return report.WriteLine(a.Stdout, progressOf(a.Version, p, s, slots))
		case slots > 0:
			return writeForecast(a.Stdout, p, slots)
		}
		return writeStatus(a.Stdout, p, s)
	})
	cmd.Flags().BoolVar(&json, "json", false, "one JSON object on stdout")
	cmd.Flags().Var(&simulated, "simulate", "simulate so many tiles at the same time, each on one CPU thread")
	return cmd
}

func simulate(p *tiles.Plan, slots int) tiles.Forecast {
	return p.Simulate(tiles.Machines{Slots: slots, Threads: 1, Start: 1})
}

// writeForecast writes what a simulation says, for tasks that take a second to
// begin.
func writeForecast(w io.Writer, p *tiles.Plan, slots int) error {
	f := simulate(p, slots)
	g := &human.Grid{}
	g.Add("tiles", fmt.Sprintf("%d, %d at the same time", len(p.Tiles), slots))
	g.Add("time", fmt.Sprintf("%s, the longest tile %s", human.SecondsText(f.Seconds), human.SecondsText(f.Longest)))
	g.Add("work", fmt.Sprintf("%s of one thread, %.0f%% of the time is used", human.SecondsText(f.Work), 100*f.Busy))
	g.Add("memory", size.Text(f.Memory)+" for the largest tile")
	g.Add("reads", human.Plural(f.Read, "row", "rows"))
	return g.Write(w)
}

// Progress is the JSON of the command.
type Progress struct {
	report.Head
	Plan    string            `json:"plan" jsonschema:"the command that is planned"`
	Tiles   int               `json:"tiles" jsonschema:"tiles of the plan"`
	Done    []int             `json:"done" jsonschema:"tiles that are done, by number"`
	Running []int             `json:"running" jsonschema:"tiles that were begun; killed ones look alike"`
	Failed  []int             `json:"failed" jsonschema:"tiles that failed"`
	Waiting []int             `json:"waiting" jsonschema:"tiles that were not begun"`
	Why     map[string]string `json:"why" jsonschema:"why tiles failed, by number"`
	Merged  bool              `json:"merged" jsonschema:"whether the plan was merged"`

	Simulated *Simulated `json:"simulated,omitempty" jsonschema:"what --simulate says"`
}

// Simulated is how a plan is expected to run.
type Simulated struct {
	Slots   int     `json:"slots" jsonschema:"tiles at the same time"`
	Seconds float64 `json:"seconds" jsonschema:"until all are done"`
	Longest float64 `json:"longest" jsonschema:"seconds of the longest tile"`
	Work    float64 `json:"work" jsonschema:"seconds of all tiles, on one thread"`
	Busy    float64 `json:"busy" jsonschema:"share of the time that is used"`
	Memory  int64   `json:"memory_bytes" jsonschema:"of the largest tile"`
	Read    int64   `json:"rows_read" jsonschema:"rows that all tiles read"`
}

func progressOf(version string, p *tiles.Plan, s *tiles.Status, slots int) Progress {
	in := func(state tiles.State) []int { return append([]int{}, s.In(state)...) }
	o := Progress{report.NewHead("status", version), p.Command, len(s.Tiles), in(tiles.Done), in(tiles.Running), in(tiles.Failed), in(tiles.Waiting), map[string]string{}, s.Merged, nil}
	for _, i := range o.Failed {
		o.Why[strconv.Itoa(i)] = s.Why[i]
	}
	if slots > 0 {
		f := simulate(p, slots)
		o.Simulated = &Simulated{slots, f.Seconds, f.Longest, f.Work, f.Busy, f.Memory, f.Read}
	}
	return o
}

func writeStatus(w io.Writer, p *tiles.Plan, s *tiles.Status) error {
	g := &human.Grid{}
	g.Add("plan", fmt.Sprintf("%s of %s in %s", p.Command, human.Plural(p.Rows(), "row", "rows"), human.Plural(int64(len(p.Tiles)), "tile", "tiles")))
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
		done += fmt.Sprintf(", with %s and %.1f%% more in halos, in %s", human.Plural(rows, "row", "rows"), 100*float64(halo)/float64(rows), human.SecondsText(seconds))
	}
	g.Add("done", done)
	for _, i := range s.In(tiles.Running) {
		g.Add("running", fmt.Sprintf("tile %d, begun %s ago", i, human.SecondsText(time.Since(s.Since[i]).Seconds())))
	}
	for _, i := range s.In(tiles.Failed) {
		g.Add("failed", fmt.Sprintf("tile %d: %s", i, s.Why[i]))
	}
	if waiting := s.In(tiles.Waiting); len(waiting) > 0 {
		g.Add("waiting", tiled.TileList(waiting))
	}
	next := "cluster submit " + p.Dir()
	switch {
	case s.Merged:
		next = "merged"
	case s.Count(tiles.Done) == len(s.Tiles):
		next = "cluster merge " + p.Dir()
	}
	g.Add("next", next)
	return g.Write(w)
}
