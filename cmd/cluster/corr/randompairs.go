package corr

import (
	"context"
	"fmt"
	"strconv"

	"skyjoin/cmd/cluster/internal/exit"
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/cmd/cluster/internal/report"
	"skyjoin/internal/hook"
	"skyjoin/internal/piece"
	"skyjoin/io/catalog"
	"skyjoin/io/table"
	"skyjoin/stats2b"
)

// What package stats2b keeps out of its public API: saving a tally.
var (
	tallyEntries = hook.Get[func(*stats2b.Tally) (all []piece.Entry, exponent int)]("stats2b.Entries")
	restoreTally = hook.Get[func(s *stats2b.Sample, binning stats2b.Binning, patches int, entries []piece.Entry, exponent int) (*stats2b.Tally, error)]("stats2b.Restore")
	sampleDigest = hook.Get[func(*stats2b.Sample) string]("stats2b.Digest")
)

// Pairs of randoms are kept as a table: patch_a, patch_b, bin (-1 below the
// first edge), pairs, and the sum of weights as an integer of two words. The
// metadata say of what: another run uses them only for the same rows and bins.

// rrCommand is what stands for the command in the metadata.
const rrCommand = "corr-rr"

// rrProvenance is what pairs of randoms depend on.
func rrProvenance(j *job.Job, r *corrRequest, random *stats2b.Sample, patches int) []catalog.KeyValue {
	floats := func(b stats2b.Bins) string {
		if b.Len() == 0 {
			return ""
		}
		return flags.JoinFloats(b.Edges())
	}
	meta := []catalog.KeyValue{{Key: report.MetadataPrefix + "command", Value: rrCommand}}
	for _, kv := range [][2]string{
		{"rows", strconv.Itoa(random.Points.Len())},
		{"metric", j.Metric.String()},
		{"box", flags.JoinFloats(j.Geo.Sides)},
		{"scale", j.Scale},
		{"edges", floats(r.binning.Bins)},
		{"unit", r.unit},
		{"plane", strconv.Itoa(int(r.binning.Plane))},
		{"across", floats(r.binning.Across)},
		{"axis", strconv.Itoa(r.binning.Axis)},
		{"patches", strconv.Itoa(patches)},
		{"digest", sampleDigest(random)},
	} {
		meta = append(meta, catalog.KeyValue{Key: report.MetadataPrefix + kv[0], Value: kv[1]})
	}
	return meta
}

// rrNames are what provenance is called in a message.
var rrNames = map[string]string{
	"rows":   "the number of randoms",
	"digest": "the randoms (their positions, weights or patches)",
	"metric": "the metric",
	"box":    "the box",
	"scale":  "the scales",
	"edges":  "the bins",
	"unit":   "the unit of the bins",
	"plane":  "the kind",
	"across": "the bins of π or μ",
	"axis":   "the line of sight",
}

const exponentKey = report.MetadataPrefix + "exponent"

// rrColumns are the columns of the table; all but the last hold int64.
var rrColumns = []string{"patch_a", "patch_b", "bin", "pairs", "weight_high", "weight_low"}

// writeRR keeps the pairs of randoms.
func writeRR(ctx context.Context, j *job.Job, path string, t *stats2b.Tally, meta []catalog.KeyValue) error {
	defer j.Timed(&j.Sum.Seconds.Write)()
	entries, exponent := tallyEntries(t)
	columns := make([]catalog.Column, len(rrColumns))
	for i, name := range rrColumns {
		columns[i] = catalog.Column{Field: catalog.Field{Name: name, Type: catalog.Int64}, Int64: make([]int64, len(entries))}
	}
	low := make([]uint64, len(entries))
	columns[5] = catalog.Column{Field: catalog.Field{Name: rrColumns[5], Type: catalog.Uint64}, Uint64: low}
	for i, e := range entries {
		for k, v := range []int64{int64(e.PatchA), int64(e.PatchB), int64(e.Cell), int64(e.Pairs), e.WeightHi} {
			columns[k].Int64[i] = v
		}
		low[i] = e.WeightLo
	}
	opt := j.Options("", nil)
	opt.Metadata = append(meta, catalog.KeyValue{Key: exponentKey, Value: strconv.Itoa(exponent)})
	return table.Write(ctx, path, columns, opt)
}

// A savedRR is what a file of pairs of randoms holds.
type savedRR struct {
	meta     map[string]string
	entries  []piece.Entry
	exponent int
}

// readRR reads a file that writeRR wrote.
func readRR(ctx context.Context, path string) (*savedRR, error) {
	cat, err := flags.OpenCatalog(ctx, []string{path}, catalog.Options{})
	if err != nil {
		return nil, err
	}
	defer cat.Close()
	s := &savedRR{meta: map[string]string{}}
	for _, kv := range cat.Metadata() {
		s.meta[kv.Key] = kv.Value
	}
	if s.meta[report.MetadataPrefix+"command"] != rrCommand {
		return nil, exit.Usagef("it does not record which pairs it holds; a file that --save-rr wrote is needed")
	}
	if s.exponent, err = strconv.Atoi(s.meta[exponentKey]); err != nil {
		return nil, fmt.Errorf("the unit of its weights is %q, not a power of two", s.meta[exponentKey])
	}
	cols, err := job.ReadColumns(ctx, cat, rrColumns...)
	if err != nil {
		return nil, err
	}
	for i, c := range cols {
		if i < 5 && c.Int64 == nil || i == 5 && c.Uint64 == nil {
			return nil, fmt.Errorf("its column %s is %s", c.Field.Name, c.Field.Type)
		}
	}
	for i := range cols[0].Int64 {
		s.entries = append(s.entries, piece.Entry{
			PatchA: int(cols[0].Int64[i]), PatchB: int(cols[1].Int64[i]), Cell: int(cols[2].Int64[i]),
			Pairs: uint64(cols[3].Int64[i]), WeightHi: cols[4].Int64[i], WeightLo: cols[5].Uint64[i],
		})
	}
	return s, nil
}

// fits refuses pairs of a run that differs from this one, and says in what.
func (s *savedRR) fits(want []catalog.KeyValue) error {
	for _, kv := range want {
		if s.meta[kv.Key] == kv.Value {
			continue
		}
		name := kv.Key[len(report.MetadataPrefix):]
		what := rrNames[name]
		if what == "" {
			what = "the number of " + name
		}
		if len(kv.Value) > 40 || len(s.meta[kv.Key]) > 40 {
			return exit.Usagef("it holds the pairs of another run: %s differ; count them again with --save-rr", what)
		}
		return exit.Usagef("it holds the pairs of another run: %s is %s there and %s here", what, s.meta[kv.Key], kv.Value)
	}
	return nil
}

// tally returns the pairs.
func (s *savedRR) tally(random *stats2b.Sample, binning stats2b.Binning, patches int) (*stats2b.Tally, error) {
	return restoreTally(random, binning, patches, s.entries, s.exponent)
}

// canKeepRR refuses formats that readRR could not read back: CSV has no metadata,
// and VOTable no unsigned integers of 64 bits.
func canKeepRR(path string) error {
	if path == "" {
		return nil
	}
	format, err := table.Format(path)
	if err == nil && (format == ".csv" || format == ".vot" || format == ".xml") {
		return exit.Usagef("--save-rr %s: a %s file cannot keep all that --rr needs; name a .parquet, .fits or .ecsv file", path, format)
	}
	return err
}
