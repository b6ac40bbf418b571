package piece

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/disjoint"
)

// A Merged is the answer for all rows.
type Merged struct {
	Number [][]int32 // the cluster of each cluster of each tile
	Rows   [][]int64 // for each tile, the rows of its Choices that are in a cluster, ascending
	Labels [][]int32 // of Rows
	Sizes  []int64   // rows of each cluster
}

// Merge puts the clusterings of all tiles together. Labels are those of
// dbscan.Run: clusters are numbered by their lowest core rows, and border rows
// choose the nearest core row or else the lowest cluster. Pieces that do not fit
// each other, as when one is of other data, are an error.
func Merge(pieces []*Clusters, asks Asks, nearest bool) (*Merged, error) {
	m := &merger{pieces: pieces, first: make([]int, len(pieces)+1)}
	for i, p := range pieces {
		m.first[i+1] = m.first[i] + len(p.Lowest)
	}
	m.sets = disjoint.New[int](m.first[len(pieces)])
	for i := range pieces {
		links, err := asks.Links(i)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			own, err := m.node(int32(i), l.Cluster)
			if err != nil {
				return nil, err
			}
			if other, core, err := m.find(i, l.Tile, l.Row); err != nil {
				return nil, err
			} else if core {
				m.sets.Unite(own, other)
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
		choices, err := asks.Choices(i)
		if err != nil {
			return nil, err
		}
		for k := 0; k < len(choices); {
			end := k + 1
			for end < len(choices) && choices[end].Row == choices[k].Row {
				end++
			}
			label, err := m.choose(i, choices[k:end], nearest)
			if err != nil {
				return nil, err
			}
			if label != Noise {
				out.Rows[i] = append(out.Rows[i], choices[k].Row)
				out.Labels[i] = append(out.Labels[i], label)
				out.Sizes[label]++
			}
			k = end
		}
	}
	return out, nil
}

// A merger unites the clusters of tiles. They are nodes, numbered through.
type merger struct {
	pieces []*Clusters
	first  []int // node of the first cluster of each tile
	sets   disjoint.Sets[int]
	number []int32 // cluster of each node
	sizes  []int64
}

// find returns the node of a row of a tile, if it is core.
func (m *merger) find(asks int, tile int32, row int64) (node int, core bool, err error) {
	if tile < 0 || int(tile) >= len(m.pieces) {
		return 0, false, fmt.Errorf("tile %d asks about row %d of tile %d, there are %d tiles", asks, row, tile, len(m.pieces))
	}
	p := m.pieces[tile]
	i, ok := slices.BinarySearch(p.Shared, row)
	if !ok {
		return 0, false, nil
	}
	node, err = m.node(tile, p.Cluster[i])
	return node, err == nil, err
}

// node returns the node of a cluster of a tile.
func (m *merger) node(tile, cluster int32) (int, error) {
	if n := len(m.pieces[tile].Lowest); cluster < 0 || int(cluster) >= n {
		return 0, fmt.Errorf("tile %d has rows in cluster %d of %d", tile, cluster, n)
	}
	return m.first[tile] + int(cluster), nil
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
func (m *merger) choose(tile int, choices []Choice, nearest bool) (int32, error) {
	label, least := Noise, 0.0
	for _, c := range choices {
		node, core, err := 0, true, error(nil)
		if c.Cluster == Noise {
			node, core, err = m.find(tile, c.Tile, c.Near)
		} else {
			node, err = m.node(int32(tile), c.Cluster)
		}
		if err != nil {
			return Noise, err
		}
		if !core {
			continue
		}
		n := m.number[node]
		switch {
		case !nearest:
			if label == Noise || n < label {
				label = n
			}
		case label == Noise || c.D2 < least: // choices are in the order of Near
			label, least = n, c.D2
		}
	}
	return label, nil
}
