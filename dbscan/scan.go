package dbscan

import (
	"context"
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/internal/par"
	"skyjoin/internal/size"
	"skyjoin/neighbors"
)

// A Scan is what DBSCAN finds over a range of radii.
type Scan struct {
	Steps []ScanStep // by ascending radius

	labels  [][]int32 // of each step
	threads int
}

// A ScanStep is what Run finds at one radius.
type ScanStep struct {
	Epsilon  float64 // the radius, in the unit of the metric
	Clusters int
	Core     int64 // core rows
	Border   int64 // rows of clusters that are not core
	Noise    int64 // rows of no cluster
	Largest  int64 // rows of the largest cluster

	// Stability is the share of the clustering that the next radius keeps, see
	// Scan.Kept. It is NaN for the last step, and if neither of the two has a
	// cluster.
	Stability float64
}

// ScanSteps is a number of radii that is sufficient to find plateaus: neighbouring
// ones differ by a few per cent.
const ScanSteps = 96

// ScanRadii clusters the points with each of the radii, which ascend, as Run does
// with the options. Each radius has an index of its own, whose cells find core rows
// in crowded places without comparing their pairs: a single table of neighbours
// within the largest radius would hold many times more pairs than all the runs
// together compare. It keeps 4 bytes per row and radius, which count towards
// opt.Memory.
func ScanRadii(ctx context.Context, points *neighbors.Points, metric neighbors.Metric, radii []float64, opt Options) (*Scan, error) {
	if points == nil {
		return nil, fmt.Errorf("%w: no points", neighbors.ErrRequest)
	}
	if len(radii) == 0 || !slices.IsSorted(radii) {
		return nil, fmt.Errorf("%w: radii %v, they must ascend", neighbors.ErrRequest, radii)
	}
	kept := int64(len(radii)) * int64(points.Len()) * 4
	if opt.Memory > 0 {
		if kept >= opt.Memory {
			return nil, fmt.Errorf("%w: the labels of %d rows at %d radii take %s, %s are allowed", neighbors.ErrMemory, points.Len(), len(radii), size.Text(kept), size.Text(opt.Memory))
		}
		opt.Memory -= kept
	}
	return scan(ctx, points, metric, radii, opt, false)
}

// ScanCurve scans the radii that a k-distance curve in ascending order suggests,
// from its least distance that is not 0 to its knee, or to the median if that is
// larger: n radii, evenly spaced in their logarithms, or one if all these distances
// are equal. It ends at the first radius at which one cluster has absorbed nearly
// everything. opt.MinPoints is k + 1. For a curve without such radii the scan has no
// steps.
func ScanCurve(ctx context.Context, points *neighbors.Points, metric neighbors.Metric, curve []float64, n int, opt Options) (*Scan, error) {
	for len(curve) > 0 && math.IsInf(curve[len(curve)-1], 1) { // whose squares overflow
		curve = curve[:len(curve)-1]
	}
	first := 0
	for first < len(curve) && !(curve[first] > 0) {
		first++
	}
	if first == len(curve) {
		return &Scan{}, nil
	}
	knee, _ := FindKnee(curve)
	radii := RadiiBetween(curve[first], max(knee.Distance, curve[len(curve)/2], curve[first]), n)
	return scan(ctx, points, metric, slices.Compact(radii), opt, true)
}

// scan clusters the points with each of the radii, or until one cluster has absorbed
// nearly everything.
func scan(ctx context.Context, points *neighbors.Points, metric neighbors.Metric, radii []float64, opt Options, ends bool) (*Scan, error) {
	total, progress := int64(len(radii))*int64(points.Len()), opt.Progress
	opt.Progress, opt.Counts, opt.SkipPairs = nil, false, true
	s := &Scan{threads: par.Threads(opt.Threads)}
	for i, eps := range radii {
		r, err := Run(ctx, points, metric, eps, opt)
		if err != nil {
			return nil, err
		}
		s.labels = append(s.labels, r.Labels)
		s.Steps = append(s.Steps, ScanStep{
			Epsilon: eps, Clusters: r.Clusters(), Core: r.CoreCount, Border: r.BorderCount, Noise: r.NoiseCount,
			Largest: r.Largest(), Stability: math.NaN(),
		})
		if i > 0 {
			s.Steps[i-1].Stability = s.Kept(i-1, i)
		}
		if progress != nil {
			progress(StageScan, int64(i+1)*int64(points.Len()), total)
		}
		if ends && s.taken(i) {
			break
		}
	}
	return s, nil
}

// Labels returns the labels at a step, which must not be changed.
func (s *Scan) Labels(step int) []int32 { return s.labels[step] }

// Kept returns the share of the rows in a cluster at step i or at step j > i that
// keep their cluster: from every cluster at j, the rows of the one cluster at i that
// contributes most of its rows. Rows that join, rows that leave and, where clusters
// merge, the rows of all but the largest reduce it. It is NaN if neither step has a
// cluster.
func (s *Scan) Kept(i, j int) float64 {
	a, b := s.labels[i], s.labels[j]
	common := map[[2]int32]int64{}
	rows := int64(0)
	for row, of := range a {
		if of != Noise || b[row] != Noise {
			rows++
			common[[2]int32{of, b[row]}]++
		}
	}
	most := make([]int64, s.Steps[j].Clusters)
	for pair, n := range common {
		if pair[0] != Noise && pair[1] != Noise {
			most[pair[1]] = max(most[pair[1]], n)
		}
	}
	kept := int64(0)
	for _, n := range most {
		kept += n
	}
	return float64(kept) / float64(rows)
}

// RadiiBetween returns n radii from lo to hi, inclusive, that are evenly spaced in
// their logarithms.
func RadiiBetween(lo, hi float64, n int) []float64 {
	radii := each.To(n, func(i int) float64 {
		return math.Exp(math.Log(lo) + (math.Log(hi)-math.Log(lo))*float64(i)/float64(max(n-1, 1)))
	})
	radii[0], radii[n-1] = lo, hi
	return radii
}
