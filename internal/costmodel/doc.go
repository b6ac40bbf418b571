// Package costmodel predicts how long joins take, from coefficients that
// "cluster calibrate" measures: nothing is baked in, since they depend on the
// host and on the data set.
package costmodel
