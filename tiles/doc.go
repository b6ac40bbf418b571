// Package tiles computes an answer in pieces: a catalog is cut into tiles of about
// equal work, each tile is computed by itself, on any machine and in any order, and the
// pieces are put together into exactly the answer of a single run.
//
// A plan is a folder (Make, Open). It says which files are read, what is
// computed, and where the cuts are: on the sky they are HEALPix cells, elsewhere
// a k-d tree. Every row is an own row of one tile. A tile also reads the rows
// around it, its halo, which is as wide as the radius, so that what it finds
// out about its own rows is certain. Plan.Run computes a tile and leaves its
// piece in the folder, whole or not at all; Plan.Merge puts the pieces together.
//
// Cuts never move a row to another tile on another machine: cells of positions
// are computed with operations that IEEE 754 rounds correctly.
package tiles
