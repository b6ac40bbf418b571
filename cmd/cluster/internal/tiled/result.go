package tiled

// A Clustering is the result of dbscan.
type Clustering struct {
	Clusters int64 `json:"clusters" jsonschema:"clusters that were found"`
	Noise    int64 `json:"noise" jsonschema:"rows in none"`
	Core     int64 `json:"core" jsonschema:"core rows"`
	Border   int64 `json:"border" jsonschema:"rows of clusters that are not core"`
	Pairs    int64 `json:"pairs" jsonschema:"unordered pairs of rows within eps"`
	Largest  int64 `json:"largest" jsonschema:"rows of the largest cluster"`
}

// Tiles are of results of a plan.
type Tiles struct {
	Tiles int64 `json:"tiles" jsonschema:"tiles of the plan"`
}

// Halos are of clusterings in tiles.
type Halos struct {
	Tiles
	Halo int64 `json:"halo" jsonschema:"rows that tiles read besides their own, as often as they are read"`
}

// Assembled is the result of a clustering that was merged.
type Assembled struct {
	Clustering
	Halos
}

// Planned is the result of a plan.
type Planned struct {
	Tiles
	TileRows    int64   `json:"tile_rows" jsonschema:"rows of the largest tile"`
	HaloShare   float64 `json:"halo_share" jsonschema:"rows in halos over all rows"`
	TileMemory  int64   `json:"tile_memory" jsonschema:"bytes that the largest tile is expected to take"`
	TileSeconds float64 `json:"tile_seconds" jsonschema:"seconds that the longest tile is expected to take on one thread"`
	Seconds     float64 `json:"seconds" jsonschema:"seconds of all tiles on one thread"`
	Staged      bool    `json:"staged" jsonschema:"whether the rows of each tile are in a file of its own"`
	RowsRead    *int64  `json:"rows_read,omitempty" jsonschema:"rows that all tiles read, where they are not staged"`
}
