// Package stats2b will hold 2-body statistics: spatial distance histograms,
// pair counts, correlation functions, radial distribution functions.
package stats2b
