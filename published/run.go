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
	"slices"

	"skyjoin/internal/file"
	"skyjoin/internal/par"
)

// Options say what is measured, and where finished rows are kept.
type Options struct {
	Scale   float64 // part of the rows of all data, above 0 and at most 1
	Threads int     // 0: all
	Folder  string  // for PAPER.md, PAPER.csv, figures, and PAPER.json, which keeps finished rows; "": none
	Resume  bool    // takes the rows that the folder has of the same scale as measured
	Machine string  // what it runs on, for the page
	Card    bool    // there is a GPU; without one, what needs it is left out
	Tell    func(table *Table, label string)
	Values  func([]Value) // of the tables, at the end
}

// Make measures tables of the paper and writes them to out as Markdown, and to the
// folder also as CSV and JSON. It writes the folder's files after every row, so that a
// run that is cut short loses one.
func (p *Paper) Make(ctx context.Context, tables []*Table, o Options, out io.Writer) error {
	k := &kept{Paper: p.Number, Scale: o.Scale, Rows: map[string]measured{}}
	if o.Resume {
		if err := k.load(o.path(p, "json")); err != nil {
			return err
		}
	}
	on := k.machine(o.Machine)
	b := &bench{ctx, o.Scale, par.Threads(o.Threads), o.Card, map[string]division{}}
	for _, t := range tables {
		for _, r := range t.rows {
			if t.finished(k.Rows[t.key(r)], o.Card) {
				continue
			}
			if o.Tell != nil {
				o.Tell(t, r.label)
			}
			got, err := r.measure(b)
			if err = errors.Join(err, ctx.Err()); err != nil {
				return fmt.Errorf("%s %s, %s: %w", p.Number, t.Name, r.label, err)
			}
			k.Rows[t.key(r)] = measured{on, o.Scale, values(got)}
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
		for _, t := range tables {
			if err := p.draw(ctx, t, k, o); err != nil {
				return err
			}
		}
	}
	if o.Values != nil {
		o.Values(slices.Collect(valuesOf(tables, k)))
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

// kept is the rows that were measured, by table and label, and the machines.
type kept struct {
	Paper    string              `json:"paper"`
	Scale    float64             `json:"scale"`
	Machines []string            `json:"machines"`
	Rows     map[string]measured `json:"rows"`
}

// measured is the values of a row, which machine they are of, and at what scale.
type measured struct {
	On     int     `json:"on"`
	Scale  float64 `json:"scale"`
	Values []value `json:"values"`
}

func (t *Table) key(r row) string { return t.Name + ", " + r.label }

// finished reports whether a row has all values that can be measured; those that a GPU
// has are measured again with the others of their row.
func (t *Table) finished(m measured, card bool) bool {
	if len(m.Values) != len(t.Columns) {
		return false
	}
	for i, c := range t.Columns {
		if card && c.Card && math.IsNaN(float64(m.Values[i])) {
			return false
		}
	}
	return true
}

// machine returns the place of a machine among those of the rows.
func (k *kept) machine(name string) int {
	if i := slices.Index(k.Machines, name); i >= 0 {
		return i
	}
	k.Machines = append(k.Machines, name)
	return len(k.Machines) - 1
}

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
	k.Machines = old.Machines
	for key, m := range old.Rows {
		if m.On < 0 || m.On >= len(k.Machines) {
			return fmt.Errorf("%s: row %q is of machine %d, there are %d", path, key, m.On, len(k.Machines))
		}
		k.Rows[key] = m
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
