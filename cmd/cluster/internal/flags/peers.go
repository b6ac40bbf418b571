package flags

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A Peer is a flag and what other programs of the field call it: scikit-learn,
// hdbscan, astropy, SciPy, STILTS, LSDB, TreeCorr, Corrfunc, halotools and R's dbscan.
type Peer struct {
	Names string // as flags, with blanks between them
	Flag  string // of the command, "" where it has none and How says why
	How   string // how the value is written, and what it counts
}

const (
	countsSelf   = "it counts the row itself, as min_samples and minPts do"
	countsOthers = "K counts other rows, so it is min_samples or minPts less 1"
	withUnit     = "on the sky it has its unit, as in 1.5arcsec"
	edges        = "the bins are one value, as in log:MIN:MAX:N or lin:MIN:MAX:N, on the sky with a unit"
	exactly      = "rows are compared exactly, whatever finds them"
)

// radii are other names of a radius.
const radii = "epsilon max-radius max-distance linking-length link-length ll b-perp max-dist maxdist max-sep seplimit search-radius search-around search-size distance-upper-bound radius-arcsec r rmax params max-error maxerror "

// binned are other names of what --bins says.
const binned = "nbins n-bins num-bins bin-size bin-type min-sep max-sep minsep maxsep rmin rmax r-min r-max range binfile bin-file bins-file rbins r-bins rp-bins rpbins s-bins sbins redges nrbins rp-min rp-max theta-min theta-max"

var noSlop = Peer{"bin-slop angle-slop brute", "", "every pair is counted exactly, there is no slop"}

// Peers are those of each command, and under "" those of all commands with the flag.
var Peers = map[string][]Peer{
	"": {
		{"n-jobs njobs nthreads n-threads num-threads num-cores ncores cores core-dist-n-jobs", "threads", "all cores are used without it"},
		{"boxsize box-size period periods lbox", "box", "sides are in the unit of the columns"},
		{"ra-col dec-col ra-column dec-column ra dec coords coordinates xcol ycol x-col y-col values values1 cols", "columns", "it has all coordinates, as in ra,dec"},
		{"values2 columns2 cols2", "columns-b", "it has all coordinates, as in ra,dec"},
		{"weight w-col weight-col sample-weight sample-weights weight-type", "weights", "it is the name of a column"},
		{"filter query cut-expression", "where", "it is an expression, as in \"mag < 18\""},
		{"out outfile output-file out-file file-name", "output", "the name of the file gives its format"},
		{"random-state rng-seed", "seed", "the default is fixed"},
		{"sep-units angular-units output-units distance-units", "unit", "it is of what is written; what is given has its unit with it, as in 1.5arcsec"},
		{"overwrite clobber", "force", "it replaces files that are there"},
		{"leaf-size leafsize tree-leaf-size approx approx-min-span-tree", "", exactly},
		{"ofmt ifmt", "", "the name of the file gives its format"},
	},
	"get": {
		{"query sql", "adql", "it is a query, or @FILE"},
		{"maxrec limit nrows row-limit", "max-rows", "--page-by gets the rest, too"},
		{"upload-resource upload-table-name tables", "upload", "it is written NAME=FILE"},
		{"sync", "", "it is the default; --async has the query run as a job"},
		{"user username password login token credentials", "", "credentials come from SKYJOIN_ARCHIVE_TOKEN, or SKYJOIN_ARCHIVE_USER and SKYJOIN_ARCHIVE_PASSWORD"},
	},
	"dbscan": {
		{"min-samples minsamples minpts min-pts min-neighbors min-neighbours min-size min-members", "min-points", countsSelf},
		{"radius " + radii, "eps", withUnit},
		{"border-points borderpoints", "star", "it makes border rows noise, as borderPoints=FALSE does"},
		{"algorithm", "", exactly},
	},
	"scan": {
		{"min-samples minsamples minpts min-pts min-neighbors min-neighbours", "min-points", countsSelf},
		{"radius " + radii, "eps", "it is LO:HI:N, as in 1arcmin:10arcmin:40"},
	},
	"hdbscan": {
		{"minpts min-pts min-size min-members", "min-cluster-size", "--min-samples is the same unless it is given"},
		{"min-points", "min-samples", "it counts the row itself"},
		{"cluster-selection-method", "select", "it is eom or leaf"},
		{"cluster-selection-epsilon", "epsilon", withUnit},
		{"cluster-selection-epsilon-max", "epsilon-max", withUnit},
		{"cluster-selection-persistence persistence", "", "clusters are not taken by persistence; --clusters writes the persistence of each"},
		{"allow-single-cluster", "single-cluster", "it lets all rows be one cluster"},
		{"gen-min-span-tree", "mst", "it is the file for the edges of the tree"},
		{"eps cut-distance radius", "cut", "it has one radius or several, as in 0.1deg,0.2deg"},
		{"algorithm", "", exactly},
	},
	"optics": {
		{"min-points minpts min-pts minsamples", "min-samples", countsSelf},
		{"eps epsilon generating-distance radius", "max-eps", withUnit},
		{"xi cluster-method eps-cl", "extract", "it is xi:X or dbscan:E, as in xi:0.05"},
		{"algorithm", "", exactly},
	},
	"outliers": {
		{"n-neighbors n-neighbours", "k", "K counts other rows, as n_neighbors does"},
		{"minpts min-pts min-samples min-points", "k", countsOthers},
		{"contamination", "top", "it is a number of rows; --flag-above takes a score"},
	},
	"kdist": {
		{"min-samples minsamples minpts min-pts min-points", "k", countsOthers},
		{"n-neighbors n-neighbours nearest-neighbors", "k", "K counts other rows"},
	},
	"knn": {
		{"n-neighbors n-neighbours n-nearest nn nthneighbor nearest-neighbors", "k", "K counts other rows, never the row itself"},
	},
	"join": {{"radius " + radii, "eps", withUnit}},
	"match": {
		{radii + "eps", "radius", withUnit},
		{"min-sep min-radius-arcsec min-dist", "min-radius", withUnit},
		{"n-neighbors n-neighbours", "k", "it goes with --find all"},
		{"jointype join-type how", "join", "it is 1and2, 1or2, all1, all2, 1not2 or 2not1, as in STILTS"},
		{"n-sigma sigma", "nsigma", "it multiplies the combined errors"},
	},
	"hist": {{binned, "bins", edges}, noSlop},
	"rdf":  {{binned, "bins", edges}, noSlop},
	"stat": {{binned, "bins", "the bins are one value, as in lin:MIN:MAX:N, of what --expr gives"}},
	"corr": {
		{binned, "bins", edges}, noSlop,
		{"pimax pi-max pi-bins npibins npi max-rpar min-rpar", "pi", "its bins are one value, as in lin:0:40:40"},
		{"mu-max mumax nmu-bins nmubins mu-bins", "mu", "its bins are one value, as in lin:0:1:20"},
		{"randoms rand rand-file random-file rand-file-name sample2 data2", "random", "it is a catalog of points without clustering"},
		{"npatch n-patches npatches njk nsub jackknife-regions", "patches", "it is their number, or column:NAME"},
		{"var-method error-method", "covariance", "it is jackknife or bootstrap"},
		{"num-bootstrap n-bootstrap nboot n-realizations realizations", "realisations", "it goes with --covariance bootstrap"},
		{"cosmology cosmo", "redshift", "it is the column of redshifts; --h0 and --omega-m are the cosmology"},
	},
	"classify": {
		{"n-neighbors n-neighbours", "k", "with --cv it can be a range, as in 1-25"},
		{"n-splits n-folds nfolds folds test-size", "cv", "it is the number of parts, or loo"},
		{"target y label-col labels", "label", "it is the name of a column"},
		{"feature-cols x-cols feature-columns", "features", "it has the names of columns, as in u_g,g_r"},
		{"train-file training", "train", "it is a catalog"},
		{"algorithm", "", exactly},
	},
}

// peerValues are other names of values: of metrics and of estimators.
var peerValues = map[string]string{
	"haversine": "sky", "arc": "sky", "angular": "sky", "great-circle": "sky", "greatcircle": "sky", "spherical": "sky",
	"l2": "euclidean", "minkowski": "euclidean", "cartesian": "euclidean", "euclidian": "euclidean",
	"landy-szalay": "ls", "landyszalay": "ls", "davis-peebles": "dp",
	"degree": "deg", "degrees": "deg", "arcminute": "arcmin", "arcminutes": "arcmin", "arcsecond": "arcsec", "arcseconds": "arcsec", "radian": "rad", "radians": "rad",
}

// PeerOf returns the flag of the command that other programs call by this name.
func PeerOf(cmd *cobra.Command, name string) (peer Peer, found bool) {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	for _, table := range [][]Peer{Peers[cmd.Name()], Peers[""]} {
		for _, p := range table {
			if (p.Flag == "" || cmd.Flags().Lookup(p.Flag) != nil) && slices.Contains(strings.Fields(p.Names), name) {
				return p, true
			}
		}
	}
	return Peer{}, false
}
