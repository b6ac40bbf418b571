package knnclass

import (
	"cmp"
	"slices"
)

// Encode numbers labels: classes are the different ones, ascending, and
// index[i] is the place of labels[i] among them.
func Encode[T cmp.Ordered](labels []T) (classes []T, index []int32) {
	classes = slices.Clone(labels)
	slices.Sort(classes)
	classes = slices.Compact(classes)
	index = make([]int32, len(labels))
	for i, l := range labels {
		at, _ := slices.BinarySearch(classes, l)
		index[i] = int32(at)
	}
	return classes, index
}
