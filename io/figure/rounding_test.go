//go:build amd64 && !amd64.v3

package figure

// exactRounding is true where the compiler fuses no multiplication with an
// addition, in the drawing library either.
const exactRounding = true
