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
func Merge(pieces []*Clusters, nearest bool) (*Merged, error) {
	m := &merger{pieces: pieces, first: make([]int, len(pieces)+1)}
	for i, p := range pieces {
		m.first[i+1] = m.first[i] + len(p.Lowest)
	}
	m.sets = disjoint.New[int](m.first[len(pieces)])
	for i, p := range pieces {
		for _, l := range p.Links {
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
		for k := 0; k < len(p.Choices); {
			end := k + 1
			for end < len(p.Choices) && p.Choices[end].Row == p.Choices[k].Row {
				end++
			}
			label, err := m.choose(i, p.Choices[k:end], nearest)
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

// Noise is the label of rows that are in no cluster, as dbscan.Noise.
const Noise int32 = -1

// A Local is the clustering of the own rows of a tile, as far as they and the
// rows near them can tell. Rows are numbered as the points of the tile. Its
// clusters are connected sets of own core rows, numbered from 0 by their lowest
// rows; clusters of several tiles may be one.
type Local struct {
	// Labels has, for each point, the cluster of an own row that is core, or
	// that is a border row of this cluster and cannot be of another. All other
	// rows have Noise.
	Labels []int32
	Core   []bool  // whether each point is an own row and core
	Counts []int64 // rows in the ball of each own row, itself included; nil unless asked for

	Lowest []uint32 // lowest row of each cluster
	Found  int64    // ordered pairs of an own row and any other within ε

	// Shared are the own core rows with a row of another tile in their ball,
	// ascending: those that other tiles ask about.
	Shared []uint32
	// Links are rows of other tiles that belong to clusters of this one if they
	// are core, each pair once, ordered by row and cluster.
	Links []LocalLink
	// Choices are own rows that are not core and may belong to several
	// clusters, with all clusters that they may belong to, ordered by row.
	Choices []LocalChoice
}

// A LocalLink says that a row of another tile, if it is core, is in a cluster.
type LocalLink struct {
	Row     uint32
	Cluster int32
}

// A LocalChoice is a core row that an own row may join the cluster of, or a row
// of another tile that may be core.
type LocalChoice struct {
	Row     uint32
	Near    uint32
	Cluster int32   // of Near; Noise for a row of another tile
	D2      float64 // the squared distance, where the nearest is chosen; else 0
}

// Nearer reports whether c is chosen before d where the nearest is chosen.
func (c LocalChoice) Nearer(d LocalChoice) bool {
	return c.D2 < d.D2 || c.D2 == d.D2 && c.Near < d.Near
}

// Clusters are what [Merge] needs to know of a Local. Rows are numbered over
// all rows, and tiles by their place in the list that Merge is given.
type Clusters struct {
	Lowest []int64 // lowest row of each cluster
	Sizes  []int64 // rows of each cluster: core rows and the border rows that are certain

	Shared  []int64 // rows that other tiles ask about, ascending
	Cluster []int32 // of Shared

	Links   []Link
	Choices []Choice // ordered by row
}

// A Link is a [LocalLink].
type Link struct {
	Row     int64
	Tile    int32 // that Row is an own row of
	Cluster int32
}

// A Choice is a [LocalChoice].
type Choice struct {
	Row, Near int64
	Tile      int32 // that Near is an own row of, where Cluster is Noise
	Cluster   int32
	D2        float64
}
