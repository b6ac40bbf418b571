// Package knnclass will hold KNN classification and regression on neighbour
// batches.
package knnclass
