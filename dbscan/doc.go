// Package dbscan clusters points by density (Ester, Kriegel, Sander & Xu,
// KDD 1996) on the ε self-join of package neighbors.
package dbscan
