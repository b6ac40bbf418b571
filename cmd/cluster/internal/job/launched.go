package job

import (
	"slices"
	"strings"

	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/gpu"
)

// families maps the beginnings of the names of GPU kernels to their algorithms.
var families = []struct{ prefix, algorithm string }{
	{"join", "grid"}, {"pattern", "grid"}, {"grid", "grid"}, {"rank", ""}, {"cluster", ""}, // dbscan says it
	{"nearest", "tree"}, {"pairs", "brute"}, {"pair", "brute"},
}

// Launched records in the summary what has run on a GPU.
func (j *Job) Launched(l gpu.Launched) {
	for _, kernel := range l.Kernels {
		for _, f := range families {
			if strings.HasPrefix(kernel, f.prefix+"_") {
				algorithm := f.algorithm
				if f.prefix == "pattern" && l.Pattern == gpu.PatternBrute {
					algorithm = "brute"
				}
				j.app.Used.Note(algorithm, kernel)
				break
			}
		}
		j.app.Used.Note("", kernel)
	}
	j.Sum.GPUs = append(j.Sum.GPUs, l.Devices...)
	slices.Sort(j.Sum.GPUs)
	j.Sum.GPUs = slices.Compact(j.Sum.GPUs)
	if l.Pattern != gpu.PatternDefault {
		j.Sum.Pattern = &report.Pattern{Name: string(l.Pattern), Threads: l.Threads, Order: string(l.Order)}
	}
	if l.Tiling != gpu.TilingDefault {
		j.Sum.Tiling = &report.Tiling{Name: string(l.Tiling), Output: string(l.Output), Copies: l.Copies}
	}
}
