// Package house tests the structure of the module: which package may import
// which, what the public packages export, and whether the pages on the
// architecture are true.
package house
