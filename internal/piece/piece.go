// Package piece holds what one tile of a catalog adds to the answer for all of
// it, and puts the pieces of all tiles together: clusters, and counts of pairs.
// Each row is an own row of one tile, which also reads the rows of other tiles
// that are near its own.
package piece
