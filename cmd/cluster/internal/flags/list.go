package flags

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"skyjoin/internal/each"
)

// A List is a comma-separated flag; an item that holds a comma is quoted.
type List []string

func (l *List) String() string { return JoinList(*l) }

func (l *List) Type() string { return "list" }

func (l *List) Set(s string) (err error) {
	*l, err = SplitList(s)
	return err
}

// SplitList reads one line of CSV; no item may be empty.
func SplitList(s string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(s))
	r.TrimLeadingSpace = true
	items, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf(`not a list; write it as in a,b,"c,d"`)
	}
	if _, err := r.Read(); err == nil || strings.ContainsAny(strings.Join(items, ""), "\r\n") {
		return nil, fmt.Errorf("it must be one line")
	}
	for i := range items {
		if items[i] = strings.TrimRight(items[i], " \t"); items[i] == "" {
			return nil, fmt.Errorf("item %d of the list is empty", i+1)
		}
	}
	return items, nil
}

// ParseItems reads the items of a list.
func ParseItems[T any](s string, parse func(item string) (T, error)) (all []T, err error) {
	items, err := SplitList(s)
	for _, item := range items {
		v, err := parse(item)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, err
}

// JoinList is the inverse of SplitList.
func JoinList(items []string) string {
	if len(items) == 0 {
		return ""
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(items) // a strings.Builder does not fail
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// JoinFloats writes numbers so that they read back the same.
func JoinFloats(v []float64) string {
	items := each.Of(v, func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) })
	return strings.Join(items, ",")
}
