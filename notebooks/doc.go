// Package notebooks is a folder of Jupyter notebooks, which CI runs from start to
// end; it has no Go code.
package notebooks
