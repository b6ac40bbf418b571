// Package hook lets the packages of this module reach what others of them keep
// out of their public API: the index of a plan, a join of some of its rows, the
// clustering of one tile. Types of the internal packages must not be seen in
// the public API, which is to stay as it is, and internal packages must not
// import public ones; so the package that owns a function provides it under a
// name when it is initialised, and those that need it get it by that name:
//
//	func init() { hook.Provide("neighbors.Grids", (*Plan).grids) }
//
//	var grids = hook.Get[func(*neighbors.Plan) (query, data *grid.Grid)]("neighbors.Grids")
//
// The second line is initialised after the package that it imports, so that a
// name that is not provided, or is of another type, ends every program and
// every test that contains it before it begins.
package hook

import "fmt"

var provided = map[string]any{}

// Provide registers a function, named by the package that has it and what it
// does. It is for init functions, which do not run at the same time.
func Provide(name string, function any) {
	if provided[name] != nil {
		panic("hook: " + name + " is provided twice")
	}
	provided[name] = function
}

// Get returns the function of that name, which must be of type F.
func Get[F any](name string) F {
	f, ok := provided[name].(F)
	if !ok {
		panic(fmt.Sprintf("hook: %s is a %T, not a %T", name, provided[name], f))
	}
	return f
}
