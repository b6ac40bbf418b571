package corr

import (
	"skyjoin/cmd/cluster/internal/flags"
	"skyjoin/cmd/cluster/internal/paircount"
	"skyjoin/stats2b"
)

// A corrKind is a correlation function that --kind can choose.
type corrKind struct {
	name   string
	plane  stats2b.Plane
	what   stats2b.Statistic
	across string // the flag of the second bins
	bins   string // their default
}

var corrKinds = []corrKind{
	{"w", stats2b.NoPlane, stats2b.Plain, "", ""},
	{"xi", stats2b.NoPlane, stats2b.Plain, "", ""},
	{"rppi", stats2b.RpPi, stats2b.Plain, "pi", ""},
	{"smu", stats2b.SMu, stats2b.Plain, "mu", "lin:0:1:20"},
	{"wp", stats2b.RpPi, stats2b.Projected, "pi", ""},
	{"xi0", stats2b.SMu, stats2b.Monopole, "mu", "lin:0:1:20"},
	{"xi2", stats2b.SMu, stats2b.Quadrupole, "mu", "lin:0:1:20"},
}

// kindOf returns the kind of that name.
func kindOf(name string) (kind corrKind) {
	for _, k := range corrKinds {
		if k.name == name {
			kind = k
		}
	}
	return kind
}

// Options are the flags of the command.
type Options struct {
	paircount.Flags
	random       []string
	with         []string // another catalog, in a periodic box
	kind         flags.Choice
	estimator    flags.Choice
	pi, mu       flags.Bins
	los          flags.Choice
	redshift     string
	omegaM       flags.Number // of --redshift
	patches      patchesFlag
	covariance   flags.Choice
	realisations flags.Integer
	seed         flags.Seed
	saveRR, rr   string

	compare         string
	plotY           flags.Choice
	covariancePlots []string
	matrix          flags.Choice
}

// second is the second catalog, none if there is one alone.
func (o *Options) second() []string { return append(o.random, o.with...) }

func newOptions() *Options {
	return &Options{Flags: paircount.Flags{SecondOne: "the randoms, or of the catalog --with"}}
}

// A corrRequest is what the flags ask for.
type corrRequest struct {
	kind      corrKind
	estimator stats2b.Estimator
	binning   stats2b.Binning
	unit      string
}
