package match

import (
	"iter"
	"math"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/internal/named"
	"skyjoin/neighbors"
)

// A Join says which rows a table of matches has: matches, unmatched rows of A,
// unmatched rows of B.
type Join uint8

const (
	And  Join = iota // 1and2: the matches
	Or               // 1or2: the matches and all unmatched rows
	All1             // all1: the matches and the unmatched rows of A
	All2             // all2: the matches and the unmatched rows of B
	Not2             // 1not2: the unmatched rows of A
	Not1             // 2not1: the unmatched rows of B
)

// joins says of each Join its name and what the table has.
var joins = []struct {
	name                  string
	matches, onlyA, onlyB bool
}{
	And:  {"1and2", true, false, false},
	Or:   {"1or2", true, true, true},
	All1: {"all1", true, true, false},
	All2: {"all2", true, false, true},
	Not2: {"1not2", false, true, false},
	Not1: {"2not1", false, false, true},
}

// Joins are the names, the default first.
func Joins() []string {
	var names []string
	for _, j := range joins {
		names = append(names, j.name)
	}
	return names
}

// String returns the name.
func (j Join) String() string { return joins[j].name }

// ParseJoin returns the join of the name.
func ParseJoin(name string) (Join, error) {
	return named.Index[Join](neighbors.ErrRequest, "join", Joins(), name)
}

// Matches reports whether the table has the matches.
func (j Join) Matches() bool { return joins[j].matches }

// OnlyA reports whether the table has rows of A without one of B.
func (j Join) OnlyA() bool { return joins[j].onlyA }

// OnlyB reports whether the table has rows of B without one of A.
func (j Join) OnlyB() bool { return joins[j].onlyB }

// A Row is a row of the table of a match: one row of each side, or -1.
type Row struct {
	A, B     int64
	Distance float64 // NaN where a side is missing
}

// Combine makes the rows of the table: matches and unmatched rows of A in the
// order of (A, B), then unmatched rows of B in theirs. matches are ordered by
// (A, B); rowsA and rowsB are all rows of the two sides, ascending, whether or
// not they have a position.
func Combine(j Join, matches []Row, rowsA, rowsB iter.Seq[int64]) []Row {
	var out []Row
	if j.OnlyA() {
		rest := matches
		for a := range rowsA {
			n := 0
			for n < len(rest) && rest[n].A == a {
				n++
			}
			switch {
			case n == 0:
				out = append(out, Row{a, -1, math.NaN()})
			case j.Matches():
				out = append(out, rest[:n]...)
			}
			rest = rest[n:]
		}
	} else if j.Matches() {
		out = slices.Clone(matches)
	}
	if j.OnlyB() {
		matched := each.Of(matches, func(m Row) int64 { return m.B })
		slices.Sort(matched)
		for b := range rowsB {
			for len(matched) > 0 && matched[0] < b {
				matched = matched[1:]
			}
			if len(matched) == 0 || matched[0] != b {
				out = append(out, Row{-1, b, math.NaN()})
			}
		}
	}
	return out
}
