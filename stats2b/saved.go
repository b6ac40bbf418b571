package stats2b

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"skyjoin/internal/exact"
	"skyjoin/internal/hook"
	"skyjoin/internal/piece"
	"skyjoin/neighbors"
)

// What only other packages of this module may do: save a tally.
func init() {
	hook.Provide("stats2b.Entries", (*Tally).entries)
	hook.Provide("stats2b.Restore", restore)
	hook.Provide("stats2b.Digest", (*Sample).digest)
}

// entries returns the content of the tally without empty bins, from which restore
// rebuilds it.
func (t *Tally) entries() (all []piece.Entry, exponent int) {
	for p := range t.groups() {
		for q := range t.groups() {
			if t.self && p > q {
				continue
			}
			for i := range t.slots() {
				at := t.at(p, q) + i
				if t.pairs[at] == 0 {
					continue
				}
				e := piece.Entry{PatchA: p, PatchB: q, Cell: i - 1, Pairs: t.pairs[at]}
				if t.weights != nil {
					e.WeightHi, e.WeightLo = t.weights[at].Words()
				}
				all = append(all, e)
			}
		}
	}
	return all, t.scale.Exponent()
}

// restore rebuilds the tally of the pairs of one sample from its entries. Entries
// that cannot belong to the sample are an error.
func restore(s *Sample, binning Binning, patches int, entries []piece.Entry, exponent int) (*Tally, error) {
	t := &Tally{binning: binning, self: true, patches: patches}
	if err := t.weigh(s, nil); err != nil {
		return nil, err
	}
	n := t.groups() * t.groups() * t.slots()
	t.pairs = make([]uint64, n)
	if s.Weights != nil {
		t.weights = make([]exact.Sum, n)
		if exponent != t.scale.Exponent() {
			return nil, fmt.Errorf("%w: sums of weights in units of 2^%d, those of these weights are in 2^%d", neighbors.ErrRequest, exponent, t.scale.Exponent())
		}
	}
	for _, e := range entries {
		if e.PatchA < 0 || e.PatchA > e.PatchB || e.PatchB >= t.groups() || e.Cell < -1 || e.Cell >= binning.Cells() {
			return nil, fmt.Errorf("%w: pairs of the patches %d and %d in bin %d, there are %d patches and %d bins", neighbors.ErrRequest, e.PatchA, e.PatchB, e.Cell, t.groups(), binning.Cells())
		}
		at := t.at(e.PatchA, e.PatchB) + 1 + e.Cell
		t.pairs[at] += e.Pairs
		if t.weights != nil {
			t.weights[at].AddSum(exact.FromWords(e.WeightHi, e.WeightLo))
		}
	}
	if c := t.Counts(); c.Over > c.Total {
		return nil, fmt.Errorf("%w: more pairs than %d rows have", neighbors.ErrRequest, s.Points.Len())
	}
	return t, nil
}

// digest returns a SHA-256 of the rows of a sample, in hexadecimal: of their
// coordinates, weights and patches.
func (s *Sample) digest() string {
	h := sha256.New()
	var buf []byte
	put := func(v uint64) {
		buf = binary.LittleEndian.AppendUint64(buf, v)
		if len(buf) >= 1<<16 {
			h.Write(buf) // a hash does not fail
			buf = buf[:0]
		}
	}
	put(uint64(s.Points.Len()))
	for j := range s.Points.Dim() {
		c := s.Points.Column(j)
		for i := range s.Points.Len() {
			put(math.Float64bits(c.At(i)))
		}
	}
	for _, w := range s.Weights {
		put(math.Float64bits(w))
	}
	for _, p := range s.Patch {
		put(uint64(p))
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil))
}
