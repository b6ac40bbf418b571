package dbscan

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/disjoint"
)

// A Piece is what [Merge] needs to know of a [Part]. Rows are numbered over all
// rows, and parts by their place in the list that Merge is given.
type Piece struct {
	Lowest []int64 // lowest row of each cluster
	Sizes  []int64 // rows of each cluster: core rows and the border rows that are certain

	Shared  []int64 // rows that other parts ask about, ascending
	Cluster []int32 // of Shared

	Links   []PieceLink
	Choices []PieceChoice // ordered by row
}

// A PieceLink is a [Link].
type PieceLink struct {
	Row     int64
	Part    int32 // that Row is an own row of
	Cluster int32
}

// A PieceChoice is a [Choice].
type PieceChoice struct {
	Row, Near int64
	Part      int32 // that Near is an own row of, where Cluster is Noise
	Cluster   int32
	D2        float64
}

// A Merged is the answer for all rows.
type Merged struct {
	Number [][]int32 // the cluster of each cluster of each part
	Rows   [][]int64 // for each part, the rows of its Choices that are in a cluster, ascending
	Labels [][]int32 // of Rows
	Sizes  []int64   // rows of each cluster
}

// Merge puts the clusterings of all parts of a set of rows together, each row
// an own row of one of them. Labels are those of [Run]: clusters are numbered
// by their lowest core rows and border rows choose by the rule. Parts that do
// not fit each other, as when one is of other data, are an error.
func Merge(pieces []*Piece, border Border) (*Merged, error) {
	m := &merger{pieces: pieces, first: make([]int, len(pieces)+1)}
	for i, p := range pieces {
		m.first[i+1] = m.first[i] + len(p.Lowest)
	}
	m.sets = disjoint.New[int](m.first[len(pieces)])
	for i, p := range pieces {
		for _, l := range p.Links {
			if c, core, err := m.find(i, l.Part, l.Row); err != nil {
				return nil, err
			} else if core {
				m.sets.Unite(m.first[i]+int(l.Cluster), c)
			}
		}
	}
	if err := m.count(); err != nil {
		return nil, err
	}
	out := &Merged{Number: make([][]int32, len(pieces)), Rows: make([][]int64, len(pieces)), Labels: make([][]int32, len(pieces))}
	out.Sizes = m.sizes
	for i, p := range pieces {
		out.Number[i] = m.number[m.first[i]:m.first[i+1]]
		for c := range p.Lowest {
			out.Sizes[out.Number[i][c]] += p.Sizes[c]
		}
		for k := 0; k < len(p.Choices); {
			end := k + 1
			for end < len(p.Choices) && p.Choices[end].Row == p.Choices[k].Row {
				end++
			}
			label, err := m.choose(i, p.Choices[k:end], border)
			if err != nil {
				return nil, err
			}
			if label != Noise {
				out.Rows[i] = append(out.Rows[i], p.Choices[k].Row)
				out.Labels[i] = append(out.Labels[i], label)
				out.Sizes[label]++
			}
			k = end
		}
	}
	return out, nil
}

// A merger unites the clusters of parts. They are nodes, numbered through.
type merger struct {
	pieces []*Piece
	first  []int // node of the first cluster of each part
	sets   disjoint.Sets[int]
	number []int32 // cluster of each node
	sizes  []int64
}

// find returns the node of a row of a part, if it is core.
func (m *merger) find(asks int, part int32, row int64) (node int, core bool, err error) {
	if part < 0 || int(part) >= len(m.pieces) {
		return 0, false, fmt.Errorf("part %d asks about row %d of part %d, there are %d parts", asks, row, part, len(m.pieces))
	}
	p := m.pieces[part]
	i, ok := slices.BinarySearch(p.Shared, row)
	if !ok {
		return 0, false, nil
	}
	if c := p.Cluster[i]; c < 0 || int(c) >= len(p.Lowest) {
		return 0, false, fmt.Errorf("part %d has row %d in cluster %d of %d", part, row, c, len(p.Lowest))
	}
	return m.first[part] + int(p.Cluster[i]), true, nil
}

// count numbers the clusters by their lowest rows.
func (m *merger) count() error {
	lowest := make([]int64, len(m.sets))
	for i, p := range m.pieces {
		copy(lowest[m.first[i]:], p.Lowest)
	}
	var roots []int
	for i := range m.sets {
		r := m.sets.Root(i)
		lowest[r] = min(lowest[r], lowest[i])
		if r == i {
			roots = append(roots, i)
		}
	}
	if len(roots) > math.MaxInt32 {
		return errors.New("more than 2147483647 clusters: labels are 32-bit integers")
	}
	slices.SortFunc(roots, func(a, b int) int { return cmp.Compare(lowest[a], lowest[b]) })
	m.number = make([]int32, len(m.sets))
	for n, r := range roots {
		m.number[r] = int32(n)
	}
	for i := range m.sets {
		m.number[i] = m.number[m.sets.Root(i)]
	}
	m.sizes = make([]int64, len(roots))
	return nil
}

// choose returns the cluster of a row that is not core, Noise if none of its
// choices is core.
func (m *merger) choose(part int, choices []PieceChoice, border Border) (int32, error) {
	label := Noise
	var best Choice
	for _, c := range choices {
		node := m.first[part] + int(c.Cluster)
		if c.Cluster == Noise {
			n, core, err := m.find(part, c.Part, c.Near)
			if err != nil {
				return Noise, err
			}
			if !core {
				continue
			}
			node = n
		}
		n := m.number[node]
		switch {
		case border == BorderFirst:
			if label == Noise || n < label {
				label = n
			}
		case label == Noise || c.D2 < best.D2: // choices are in the order of Near
			label, best.D2 = n, c.D2
		}
	}
	return label, nil
}
