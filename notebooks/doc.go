// Package notebooks will hold Jupyter walk-throughs that a paper's author can
// follow, executed by CI; it holds no Go code.
package notebooks
