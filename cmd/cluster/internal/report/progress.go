package report

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"skyjoin/cmd/cluster/internal/human"
)

// A Reporter shows how far a run is: a bar on a terminal, plain lines
// elsewhere, and nothing when asked for quiet.
type Reporter struct {
	w     io.Writer
	mode  progressMode
	quiet bool
	log   *slog.Logger // of lines of JSON, nil for text
	now   func() time.Time
}

type progressMode uint8

const (
	progressNone  progressMode = iota
	progressLines              // a line for every tenth
	progressSlow               // the same, for phases that take longer than patience
	progressBar
)

// patience is how long a phase runs before plain lines begin, so that short runs do not
// fill logs.
const patience = 2 * time.Second

// NewReporter decides from --progress, --quiet and what stderr is. Off a
// terminal, and on a dumb one, there are neither carriage returns nor escapes. With
// inJSON each line is a JSON object.
func NewReporter(w io.Writer, when string, quiet, inJSON bool) *Reporter {
	r := &Reporter{w: w, quiet: quiet, now: time.Now}
	if inJSON {
		r.log = slog.New(slog.NewJSONHandler(w, nil))
	}
	f, isFile := w.(*os.File)
	terminal := isFile && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
	switch {
	case quiet || when == "never":
	case terminal && !inJSON:
		r.mode = progressBar
	case when == "always":
		r.mode = progressLines
	default:
		r.mode = progressSlow
	}
	return r
}

// Say writes a line that is not of a phase, unless nothing is to be shown.
func (r *Reporter) Say(text string) {
	switch {
	case r.mode == progressNone:
	case r.log != nil:
		r.log.Info(text)
	default:
		fmt.Fprintln(r.w, text)
	}
}

// Warn writes a warning.
func (r *Reporter) Warn(text string) {
	switch {
	case r.quiet:
	case r.log != nil:
		r.log.Warn(text)
	default:
		fmt.Fprintln(r.w, "warning: "+text)
	}
}

// Summary writes the summary of a run, unless asked for quiet: as a table, or with its
// warnings as lines of JSON. What stdout has already is not said again.
func (r *Reporter) Summary(s *Summary, onStdout bool) error {
	switch {
	case r.quiet:
	case r.log != nil:
		for _, text := range s.Warnings {
			r.log.Warn(text)
		}
		if !onStdout {
			r.log.Info("summary", "summary", s)
		}
	case !onStdout:
		return s.WriteTable(r.w)
	}
	return nil
}

// Table writes a table, or with --log-format json the value that it shows.
func (r *Reporter) Table(g *human.Grid, name string, v any) error {
	if r.log != nil {
		r.log.Info(name, name, v)
		return nil
	}
	return g.Write(r.w)
}

// A Phase is one stage of a run, with a known number of rows. It is safe for
// concurrent use.
type Phase struct {
	r     *Reporter
	name  string
	unit  string // what is counted
	total int64
	start time.Time

	mu    sync.Mutex
	done  int64
	tenth int64 // tenths that have been reported
	ended bool
	bar   *progressbar.ProgressBar
}

// Phase begins a stage. A total of 0 shows nothing.
func (r *Reporter) Phase(name string, total int64) *Phase { return r.Counting(name, "rows", total) }

// Counting begins a stage that counts something else.
func (r *Reporter) Counting(name, unit string, total int64) *Phase {
	p := &Phase{r: r, name: name, unit: unit, total: total, start: r.now()}
	if r.mode == progressBar && total > 0 {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(r.w),
			progressbar.OptionSetDescription(fmt.Sprintf("%-13s", name)),
			progressbar.OptionSetItsString(unit),
			progressbar.OptionSetWidth(24),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// Add reports that n more rows are done.
func (p *Phase) Add(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.show(p.done + n)
}

// Reach reports that done rows are done in total.
func (p *Phase) Reach(done int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.show(done)
}

func (p *Phase) show(done int64) {
	if p.ended {
		return
	}
	p.done = min(done, p.total)
	switch p.r.mode {
	case progressBar:
		if p.bar != nil && p.done < p.total { // end draws the last step
			p.bar.Set64(p.done) // fails only beyond the total
		}
	case progressLines, progressSlow:
		p.line()
	}
}

// line writes a plain line when another tenth is done.
func (p *Phase) line() {
	if p.total <= 0 {
		return
	}
	// done·10 may overflow only for more rows than any file has.
	tenth := p.done * 10 / p.total
	elapsed := p.r.now().Sub(p.start)
	if tenth <= p.tenth || p.r.mode == progressSlow && elapsed < patience {
		return
	}
	p.tenth = tenth
	if p.r.log != nil {
		p.r.log.Info(p.name, "done", p.done, "total", p.total, "unit", p.unit, "seconds", elapsed.Seconds())
		return
	}
	text := fmt.Sprintf("%s: %d%%, %s of %s %s", p.name, tenth*10, human.Commas(p.done), human.Commas(p.total), p.unit)
	if s := elapsed.Seconds(); s > 0 && p.done > 0 {
		rate := float64(p.done) / s
		if rate >= 1 {
			text += fmt.Sprintf(", %s %s/s", human.Commas(int64(rate)), p.unit)
		}
		if p.done < p.total {
			text += fmt.Sprintf(", %s left", human.SecondsText(float64(p.total-p.done)/rate))
		}
	}
	fmt.Fprintln(p.r.w, text)
}

// End ends the stage and takes its bar away.
func (p *Phase) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.bar != nil {
		p.bar.Finish() // clears the line; nothing is left to fail
	}
}

// Stages returns a callback that gives each stage a phase of its own, and a
// function that ends the last.
func (r *Reporter) Stages() (report func(stage string, done, total int64), end func()) {
	var mu sync.Mutex
	var p *Phase
	ended := false
	stop := func() {
		if p != nil {
			p.End()
		}
	}
	report = func(stage string, done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		if ended { // an interrupted run that has not stopped yet
			return
		}
		if p == nil || p.name != stage {
			stop()
			p = r.Phase(stage, total)
		}
		p.Reach(done)
	}
	return report, func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		stop()
	}
}
