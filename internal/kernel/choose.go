package kernel

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

// Override is the environment variable that names the kernels to use instead
// of the fastest: generic, avx2 or avx512.
const Override = "SKYJOIN_KERNEL"

// Best returns the kernels that Override names, or else the fastest that this
// processor can run. A name that cannot be had is passed over here; Check
// reports it.
func Best() *Funcs { return best() }

var best = sync.OnceValue(func() *Funcs {
	f, err := choose(os.Getenv(Override))
	if err != nil {
		f, _ = choose("")
	}
	return f
})

// Check returns an error if Override names kernels that this processor or
// this build does not have.
func Check() error {
	_, err := choose(os.Getenv(Override))
	return err
}

// choose returns the kernels of that name, the fastest if it is empty.
func choose(name string) (*Funcs, error) {
	all := All()
	if name == "" {
		return all[len(all)-1], nil
	}
	var names []string
	for _, f := range all {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("%s=%q: this machine has %s", Override, name, strings.Join(names, ", "))
}

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
	Windows:  windowsGeneric,
	Hist:     histGeneric,
}
