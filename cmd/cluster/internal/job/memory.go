package job

import (
	"cmp"
	"context"
	"fmt"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/human"
	"skyjoin/internal/size"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/neighbors"
)

// slack is what the program itself may take beside --memory.
const slack = 48 << 20

// A need is the memory of a command on the CPU in bytes, as TestMemoryTable measures
// it.
type need struct {
	fixed      int64 // however many rows, if they are not few
	row        int64 // of a row
	coordinate int64 // of a coordinate of a row
	appends    bool  // the output is the catalog with columns added
}

var needs = map[string]need{
	"classify": {48 << 20, 20, 25, true},
	"convert":  {30 << 20, 0, 0, true},
	"corr":     {32 << 20, 25, 20, false},
	"hdbscan":  {42 << 20, 370, 30, true},
	"hist":     {32 << 20, 26, 15, false},
	"join":     {58 << 20, 105, 0, false},
	"kdist":    {40 << 20, 40, 32, false},
	"knn":      {74 << 20, 20, 24, false},
	"match":    {64 << 20, 117, 0, false},
	"merge":    {36 << 20, 12, 0, true},
	"optics":   {36 << 20, 180, 20, true},
	"outliers": {48 << 20, 80, 35, true},
	"predict":  {34 << 20, 12, 15, true},
	"rdf":      {32 << 20, 26, 15, false},
	"scan":     {36 << 20, 14, 30, false},
	"stat":     {34 << 20, 24, 24, false},
	"validity": {34 << 20, 24, 24, false},
}

// A Demand is what a run takes memory for.
type Demand struct {
	Command     string         // whose needs are meant; "" for that of the run
	Coordinates int            // of a row; 0 for those of the first catalog
	Shares      []Share        // of the rows; nil for the catalogs of the run
	More        int64          // bytes besides
	Write       *table.Options // how -o is written; nil as by Job.Options
}

// A Share is rows of a catalog.
type Share struct {
	Cat   *catalog.Catalog
	Where string // filter
	Most  int64  // rows at a time; 0 for all
}

// Fits refuses what takes more than --memory, before it is read.
func (j *Job) Fits(ctx context.Context, d Demand) error {
	if j.Run.Memory.Bytes == 0 {
		return nil
	}
	if d.Coordinates == 0 && j.Geo != nil {
		d.Coordinates = j.Geo.Lowered()
	}
	if d.Shares == nil && j.Cat != nil {
		d.Shares = []Share{{Cat: j.Cat, Where: j.Read.Where}}
		if j.B != nil {
			d.Shares = append(d.Shares, Share{Cat: j.B.Cat, Where: j.ReadB().Where})
		}
	}
	if err := j.LeaveForCards(); err != nil {
		return err
	}
	need, rows, err := j.needed(ctx, d, false)
	if err == nil && !j.Allows(need) { // if all rows pass the filters
		need, rows, err = j.needed(ctx, d, true)
	}
	if err != nil || j.Takes(need) {
		return err
	}
	if need, err = j.enough(d, need); err != nil {
		return err
	}
	what := human.Plural(rows, "row", "rows")
	if j.Cat != nil && needs[cmp.Or(d.Command, j.Sum.Command)].appends {
		what += " of " + human.Plural(int64(len(j.Cat.Fields())), "column", "columns")
	}
	return j.over(what, need)
}

// enough returns what a run takes that is allowed as much: with more memory, more rows
// wait to be written.
func (j *Job) enough(d Demand, need int64) (int64, error) {
	if !needs[cmp.Or(d.Command, j.Sum.Command)].appends {
		return need, nil
	}
	given := j.Run.Memory.Bytes
	defer func() { j.Run.Memory.Bytes = given }()
	for {
		before, err := j.written(d.Write)
		if err != nil {
			return 0, err
		}
		j.Run.Memory.Bytes = need
		after, err := j.written(d.Write)
		if err != nil || after <= before {
			return need, err
		}
		need += after - before
	}
}

// Refuse returns the error for the rows of the catalog, which take more than --memory
// allows; why may be empty.
func (j *Job) Refuse(why string, need int64) error {
	err := j.over(human.Plural(j.Cat.Rows(), "row", "rows"), need)
	if why != "" {
		err = fmt.Errorf("%w; %s", err, why)
	}
	return err
}

func (j *Job) over(what string, need int64) error {
	text := fmt.Sprintf("%s take about %s", what, size.Up(need+j.cards))
	if j.cards > 0 {
		text += fmt.Sprintf(" (%s of it for the driver of the GPU)", size.Text(j.Sum.Driver))
	}
	return exit.OverMemory(fmt.Errorf("%w: %s, %s are allowed", neighbors.ErrMemory, text, size.Text(j.Allowed()+j.cards-slack)))
}

// Allowed returns what the process may take by --memory, less what GPUs take.
func (j *Job) Allowed() int64 {
	if j.cards > 0 {
		return j.allowed
	}
	return j.Run.Memory.Bytes + slack
}

// Takes is Allows of what the run takes, which On counts with the driver of a GPU.
func (j *Job) Takes(bytes int64) bool {
	j.takes = max(j.takes, bytes)
	return j.Allows(bytes)
}

// Allows reports whether --memory allows the process to take so many bytes.
func (j *Job) Allows(bytes int64) bool { return j.Run.Memory.Bytes == 0 || bytes <= j.Allowed() }

// needed returns how many bytes a run takes, and for how many rows: all, or those
// that are counted to pass the filters.
func (j *Job) needed(ctx context.Context, d Demand, count bool) (bytes, rows int64, err error) {
	n := needs[cmp.Or(d.Command, j.Sum.Command)]
	bytes = d.More
	for _, s := range d.Shares {
		used := s.Cat.Rows()
		if s.Where != "" && count {
			if used, err = passing(ctx, s); err != nil {
				return 0, 0, err
			}
			bytes += (s.Cat.Rows() - used) * int64(8*d.Coordinates+8) // all are read
		}
		if s.Most > 0 {
			used = min(used, s.Most)
		}
		rows += used
		bytes += used * (n.row + n.coordinate*int64(d.Coordinates))
	}
	const program, aRow = 30 << 20, 400 // buffers of few rows are small
	bytes += min(n.fixed, program+aRow*rows)
	if n.appends {
		written, err := j.written(d.Write)
		return bytes + written, rows, err
	}
	return bytes, rows, nil
}

// Written returns how many bytes it takes to write the catalog to -o, if it is given.
func (j *Job) Written() (int64, error) { return j.written(nil) }

func (j *Job) written(opt *table.Options) (int64, error) {
	if j.Out.Output == "" || j.Cat == nil {
		return 0, nil
	}
	as := j.Options("", nil)
	if opt != nil {
		memory := as.Memory
		as = *opt
		as.Memory = memory
	}
	return table.Memory(j.Out.Output, j.Cat, as)
}

// passing counts the rows that a filter keeps.
func passing(ctx context.Context, s Share) (rows int64, err error) {
	for b, err := range s.Cat.Scan(ctx, catalog.Scan{Where: s.Where}) {
		if err != nil {
			return 0, err
		}
		for _, keep := range b.Keep {
			if keep {
				rows++
			}
		}
	}
	return rows, nil
}

// Working returns how much of --memory the rows that were read leave, at least a
// quarter; 0 without --memory.
func (j *Job) Working() int64 {
	left := j.Run.Memory.Bytes
	for _, s := range j.Sides() {
		if s.Sel == nil || s.Sel.Points == nil {
			continue
		}
		for k := range s.Sel.Points.Dim() {
			c := s.Sel.Points.Column(k)
			left -= 4*int64(len(c.Float32)) + 8*int64(len(c.Float64))
		}
		left -= 4*int64(len(s.Sel.Rows)) + 8*int64(len(s.Sel.Weights))
	}
	return max(left, j.Run.Memory.Bytes/4)
}

// Within returns the joiner with less memory for its plan and batches, if it is
// the CPU; it keeps what a join takes at the least.
func Within(joiner neighbors.Joiner, memory int64) neighbors.Joiner {
	c, ok := joiner.(neighbors.CPU)
	if !ok || c.Memory == 0 {
		return joiner
	}
	const least = 4 << 20 // of a thread
	c.Memory = min(c.Memory, max(memory, least*int64(c.Workers())))
	return c
}
