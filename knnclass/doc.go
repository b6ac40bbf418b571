// Package knnclass predicts classes and values from the nearest rows of a
// training set, or from those within a radius: the consumer of a KNN join that
// lets neighbours vote.
//
// With Uniform every neighbour has one vote, with ByDistance 1/d; there, rows
// at distance 0 take the whole vote. Votes are multiplied by sample weights. The
// probability of a class is its share of the votes, the predicted value the
// mean by votes, as in scikit-learn's KNeighborsClassifier and
// KNeighborsRegressor.
//
// Equal votes for several classes are a tie, which goes to the class whose
// voters have the smaller sum of distances, then to that of the nearest row.
// Votes are summed nearest first, so that the same votes give the same sum
// whatever the classes are called.
package knnclass
