package classify

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
)

// Options are the flags of the command.
type Options struct {
	job.Flags

	train, whereTrain string
	label, regress    string
	weights           string
	columns           flags.List
	k                 kRange
	radius            flags.Length
	vote              flags.Choice
	cv                folds
	seed              uint64
	probabilities     bool
	explain           string
	plotScores        string
}

// A kRange is a number of neighbours, or a range to choose from.
type kRange struct {
	low, high int
	text      string
}

func (r *kRange) String() string { return r.text }

func (r *kRange) Type() string { return "int|range" }

func (r *kRange) Set(s string) error {
	low, high, isRange := strings.Cut(s, "-")
	if !isRange {
		high = low
	}
	a, errA := strconv.ParseInt(strings.TrimSpace(low), 10, 64)
	b, errB := strconv.ParseInt(strings.TrimSpace(high), 10, 64)
	switch {
	case errA != nil || errB != nil:
		return fmt.Errorf("not a whole number, or a range as in 1-25")
	case a < 1:
		return fmt.Errorf("it must be at least 1")
	case b < a:
		return fmt.Errorf("the range ends before it begins")
	case b-a >= mostKs:
		return fmt.Errorf("the range has more than %d numbers", mostKs)
	}
	*r = kRange{int(min(a, math.MaxInt32)), int(min(b, math.MaxInt32)), s}
	return nil
}

// mostKs bounds a range: the predictions of each k are held.
const mostKs = 200

// all returns the numbers of the range.
func (r *kRange) all() []int {
	var ks []int
	for k := r.low; k <= r.high; k++ {
		ks = append(ks, k)
	}
	return ks
}

// A folds is how training rows are divided for cross-validation.
type folds struct {
	parts int // 0 for leave-one-out
	text  string
}

func (f *folds) String() string { return f.text }

func (f *folds) Type() string { return "N|loo" }

// Kind is N of a number of parts.
func (f *folds) Kind() string {
	if f.parts > 0 {
		return "N"
	}
	return f.text
}

func (f *folds) Set(s string) error {
	if s == "loo" {
		*f = folds{text: s}
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 2 {
		return fmt.Errorf("it must be a number of parts, at least 2, or loo")
	}
	*f = folds{n, s}
	return nil
}
