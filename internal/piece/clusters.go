package piece

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
}

// Asks are what tiles ask of others, which [Merge] reads one tile at a time.
type Asks interface {
	Links(tile int) ([]Link, error)
	Choices(tile int) ([]Choice, error) // ordered by row
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
