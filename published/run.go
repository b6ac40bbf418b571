package published

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"skyjoin/internal/file"
)

// Options say what is measured, and where finished rows are kept.
type Options struct {
	Scale   float64 // part of the rows of all data, above 0 and at most 1
	Threads int     // 0: all
	Folder  string  // for PAPER.md, PAPER.csv and PAPER.json, which keeps finished rows; "": none
	Resume  bool    // takes the rows that the folder has of the same scale as measured
	Machine string  // what it runs on, for the page
	Tell    func(table *Table, label string)
}

// Make measures tables of the paper and writes them to out as Markdown, and to the
// folder also as CSV and JSON. It writes the folder's files after every row, so that a run that
// is cut short loses one.
func (p *Paper) Make(ctx context.Context, tables []*Table, o Options, out io.Writer) error {
	k := &kept{Paper: p.Number, Scale: o.Scale, Machine: o.Machine, Rows: map[string][]value{}}
	if o.Resume {
		if err := k.load(o.path(p, "json")); err != nil {
			return err
		}
	}
	b := &bench{ctx, o.Scale, o.Threads}
	for _, t := range tables {
		for _, r := range t.rows {
			if _, done := k.Rows[t.key(r)]; done {
				continue
			}
			if o.Tell != nil {
				o.Tell(t, r.label)
			}
			measured, err := r.measure(b)
			if err = errors.Join(err, ctx.Err()); err != nil {
				return fmt.Errorf("%s %s, %s: %w", p.Number, t.Name, r.label, err)
			}
			k.Rows[t.key(r)] = values(measured)
			if o.Folder == "" {
				continue
			}
			if err := p.save(ctx, k, o); err != nil {
				return err
			}
		}
	}
	if o.Folder != "" {
		if err := p.save(ctx, k, o); err != nil {
			return err
		}
	}
	return p.markdown(out, tables, k)
}

func (o Options) path(p *Paper, extension string) string {
	return filepath.Join(o.Folder, p.Number+"."+extension)
}

// save writes what is known of all tables to the folder, which has it from then on.
func (p *Paper) save(ctx context.Context, k *kept, o Options) error {
	for extension, write := range map[string]func(io.Writer) error{
		"json": func(w io.Writer) error {
			text, err := json.MarshalIndent(k, "", " ")
			if err == nil {
				_, err = w.Write(append(text, '\n'))
			}
			return err
		},
		"md":  func(w io.Writer) error { return p.markdown(w, p.Tables, k) },
		"csv": func(w io.Writer) error { return p.csv(w, k) },
	} {
		if err := file.Write(file.Alone(ctx), o.path(p, extension), file.Options{Force: true}, write); err != nil {
			return err
		}
	}
	return nil
}

// kept is the rows that were measured, by table and label.
type kept struct {
	Paper   string             `json:"paper"`
	Scale   float64            `json:"scale"`
	Machine string             `json:"machine"`
	Rows    map[string][]value `json:"rows"`
}

func (t *Table) key(r row) string { return t.Name + ", " + r.label }

// load reads the rows of an earlier run of the same scale, if there was one.
func (k *kept) load(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var old kept
	if err := json.Unmarshal(text, &old); err != nil {
		return fmt.Errorf("%s: %w; without --resume it is made anew", path, err)
	}
	if old.Scale != k.Scale {
		return fmt.Errorf("%s was measured at scale %v, this run is at %v: take the same, or another folder", path, old.Scale, k.Scale)
	}
	if old.Machine != k.Machine {
		return fmt.Errorf("%s was measured on %s, this is %s: take another folder", path, old.Machine, k.Machine)
	}
	if old.Rows != nil {
		k.Rows = old.Rows
	}
	return nil
}

// A value is a number, or none, which JSON has as null.
type value float64

func values(v []float64) []value {
	out := make([]value, len(v))
	for i, x := range v {
		out[i] = value(x)
	}
	return out
}

func (v value) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

func (v *value) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*v = value(none)
		return nil
	}
	return json.Unmarshal(text, (*float64)(v))
}
