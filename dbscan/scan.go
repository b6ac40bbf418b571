package dbscan

import (
	"context"
	"fmt"
	"math"
	"slices"

	"skyjoin/internal/each"
	"skyjoin/internal/size"
	"skyjoin/neighbors"
)

// A Scan is what DBSCAN finds over a range of radii.
type Scan struct {
	Steps []ScanStep // by ascending radius

	labels [][]int32 // of each step
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

// A Plateau is a range of radii over which the clustering hardly changes.
type Plateau struct {
	First, Last int     // its steps
	Step        int     // the recommended step
	Epsilon     float64 // the radius there
}

// ScanSteps is a number of radii that is sufficient to find plateaus: neighbouring
// ones differ by a few per cent.
const ScanSteps = 96

// keptShare is the share of the rows in clusters that stay in their cluster over a
// plateau.
const keptShare = 0.75

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
	s := &Scan{}
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

// Plateau returns the widest range of radii, by their ratio, in which at every step
// three quarters of the rows in clusters keep the cluster that they have at the
// first step (Kept); the one with the smallest radii if several are equally wide. It
// returns false if no range has two steps.
//
// The recommended step is the one nearest to the middle of the upper half: sparse
// clusters appear last, and should not be missed. Where the number of clusters stays
// the same over a quarter of the plateau or more, only steps with the most of these
// come into question: clusters that touch join last.
//
// Steps without clusters are in no plateau, nor are those at which one cluster has
// absorbed nearly everything: more than half of all rows, and nine tenths of those
// in clusters. Every catalog ends like that as the radius grows.
func (s *Scan) Plateau() (Plateau, bool) {
	best, width := Plateau{}, 1.0
	for i := range s.Steps {
		if !s.telling(i) {
			continue
		}
		last := i
		for j := i + 1; j < len(s.Steps) && s.telling(j) && s.Kept(i, j) >= keptShare; j++ {
			last = j
		}
		if ratio := s.Steps[last].Epsilon / s.Steps[i].Epsilon; ratio > width {
			best, width = Plateau{First: i, Last: last}, ratio
		}
	}
	if best.Last == best.First {
		return Plateau{}, false
	}
	target := math.Log(s.Steps[best.First].Epsilon)/4 + math.Log(s.Steps[best.Last].Epsilon)*3/4
	away := func(i int) float64 { return math.Abs(math.Log(s.Steps[i].Epsilon) - target) }
	first, last := s.lasting(best.First, best.Last)
	best.Step = first
	for i := first; i <= last; i++ {
		if away(i) < away(best.Step) {
			best.Step = i
		}
	}
	best.Epsilon = s.Steps[best.Step].Epsilon
	return best, true
}

// lasting returns the steps of a plateau with the most clusters whose number stays
// the same over a quarter of it or more, in logarithms; the last ones of several, and
// all if there are none.
func (s *Scan) lasting(first, last int) (from, to int) {
	from, to = first, last
	most, ratio := 0, func(a, b int) float64 { return math.Log(s.Steps[b].Epsilon / s.Steps[a].Epsilon) }
	for i := first; i <= last; {
		end := i
		for end < last && s.Steps[end+1].Clusters == s.Steps[i].Clusters {
			end++
		}
		if n := s.Steps[i].Clusters; n >= most && 4*ratio(i, end) >= ratio(first, last) {
			from, to, most = i, end, n
		}
		i = end + 1
	}
	return from, to
}

// telling reports whether a step has clusters, but not one that has absorbed nearly
// everything.
func (s *Scan) telling(i int) bool { return s.Steps[i].Clusters > 0 && !s.taken(i) }

// taken reports whether one cluster has absorbed nearly everything.
func (s *Scan) taken(i int) bool {
	t := s.Steps[i]
	clustered := t.Core + t.Border
	return 2*t.Largest > clustered+t.Noise && 10*t.Largest > 9*clustered
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
