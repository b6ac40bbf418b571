package tiles

import (
	"skyjoin/io/catalog"
)

// A Request says what to plan. Sets, Command, Metric, Radius and what the
// command takes are those of Plan, the files of sets excepted.
type Request struct {
	Plan     *Plan
	Catalogs []*catalog.Catalog // opened, one for each set

	Tiles    int   // number of tiles; 0: by TileRows or Memory
	TileRows int64 // rows of a tile, halo excepted
	Memory   int64 // bytes that a tile may take
	Stage    Staging
	Threads  int
	Progress func(stage string, done, total int64) // may be nil
}

// Staging says whether the plan copies the coordinates of each tile's rows into
// its folder.
type Staging string

// Staging pays where the rows of a tile are spread over all files.
const (
	StageAuto Staging = "auto" // if tiles would have to decode most rows more than once
	StageYes  Staging = "yes"
	StageNo   Staging = "no"
)
