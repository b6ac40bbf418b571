// Package match pairs the rows of two catalogs that are the same objects: the
// consumer of a join A ⋈ B that chooses among the pairs within a radius.
//
// [Cross] finds pairs of points and [Combine] makes table rows of them, of
// unmatched rows too. The vocabulary is that of STILTS: find best, best1,
// best2 or all, join 1and2, 1or2, all1, all2, 1not2 or 2not1
// (https://www.star.bris.ac.uk/~mbt/stilts/).
package match
