package flags

// Renamed are the flags of the last release that have another name now, which
// they are refused with for one release.
var Renamed = map[string]string{}

// RenamedColumns are columns that the last release wrote under another name, and
// their names now. Whoever names one of them is told of its successor for one
// release.
var RenamedColumns = map[string]string{}

// Elsewhere are flags that some commands of the last release passed over, and
// others carry out: what they are about, and these commands. The others refuse them
// with it.
var Elsewhere = map[string]string{
	"gpu-pattern": patterns,
	"gpu-threads": patterns,
	"gpu-order":   patterns,
	"gpu-tiling":  statistics,
	"gpu-output":  statistics,
}

const (
	patterns   = "the published GPU kernels of join and knn"
	statistics = "the published GPU kernels of hist, rdf, corr and stat"
)
