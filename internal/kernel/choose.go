package kernel

import (
	"os"
	"slices"
	"sync"
)

// Override is the environment variable that names the kernels to use instead
// of the fastest: generic, avx2 or avx512.
const Override = "SKYJOIN_KERNEL"

// Best returns the kernels that Override names, or else the fastest that this
// processor can run. A name that cannot be had is passed over.
func Best() *Funcs { return best() }

var best = sync.OnceValue(func() *Funcs {
	all := All()
	asked := os.Getenv(Override)
	if i := slices.IndexFunc(all, func(f *Funcs) bool { return f.Name == asked }); i >= 0 {
		return all[i]
	}
	return all[len(all)-1]
})

// All returns the kernels of every instruction set that this processor can
// run, generic Go first and the fastest last.
func All() []*Funcs { return append([]*Funcs{&generic}, vector()...) }

var generic = Funcs{
	Name:     "generic",
	Count:    countGeneric,
	Emit:     emitGeneric,
	EmitNear: emitNearGeneric,
	EmitSelf: emitSelfGeneric,
	Half:     halfGeneric,
	Nearest:  nearestGeneric,
	Least:    leastGeneric,
	Bounds:   boundsGeneric,
	Roots:    rootsGeneric,
	Apply:    applyGeneric,
	Parts:    partsGeneric,
	Windows:  windowsGeneric,
	Hist:     histGeneric,
}
