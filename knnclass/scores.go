package knnclass

import (
	"fmt"
	"math"

	"skyjoin/neighbors"
)

// A Confusion counts rows by true and predicted class.
type Confusion struct {
	Classes int
	Count   []int64 // row after row: Count[true·(Classes+1) + predicted], outliers in the last place
	Rows    int64
}

// Confuse compares predicted classes with the truth. Rows whose truth is
// negative are not known and are left out.
func Confuse(truth, predicted []int32, classes int) (*Confusion, error) {
	if len(truth) != len(predicted) {
		return nil, fmt.Errorf("%w: %d true classes for %d predictions", neighbors.ErrRequest, len(truth), len(predicted))
	}
	c := &Confusion{Classes: classes, Count: make([]int64, classes*(classes+1))}
	for i, t := range truth {
		p := predicted[i]
		switch {
		case int(t) >= classes || int(p) >= classes:
			return nil, fmt.Errorf("%w: row %d is of class %d, predicted %d, there are %d", neighbors.ErrRequest, i, t, p, classes)
		case t < 0:
			continue
		case p == Outlier:
			p = int32(classes)
		}
		c.Count[int(t)*(classes+1)+int(p)]++
		c.Rows++
	}
	return c, nil
}

// At returns the number of rows of class truth that were predicted as class
// predicted, which may be Outlier.
func (c *Confusion) At(truth, predicted int32) int64 {
	if predicted == Outlier {
		predicted = int32(c.Classes)
	}
	return c.Count[int(truth)*(c.Classes+1)+int(predicted)]
}

// Right returns the number of rows whose class was predicted.
func (c *Confusion) Right() int64 {
	var n int64
	for i := range int32(c.Classes) {
		n += c.At(i, i)
	}
	return n
}

// Accuracy is the fraction of rows whose class was predicted, NaN without
// rows.
func (c *Confusion) Accuracy() float64 { return fraction(c.Right(), c.Rows) }

// A Score is how well one class was predicted. A ratio of 0 to 0 is NaN.
type Score struct {
	Precision float64 // of the rows predicted to be of the class, how many are
	Recall    float64 // of the rows of the class, how many were predicted to be
	F1        float64 // the harmonic mean of the two: 2·TP / (2·TP + FP + FN)
	Support   int64   // rows of the class
}

// Score returns the score of a class.
func (c *Confusion) Score(class int32) Score {
	var said, are int64
	for i := range int32(c.Classes) {
		said += c.At(i, class)
		are += c.At(class, i)
	}
	are += c.At(class, Outlier)
	right := c.At(class, class)
	return Score{fraction(right, said), fraction(right, are), fraction(2*right, said+are), are}
}

func fraction(a, b int64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

// A Fit is how well values were predicted.
type Fit struct {
	R2   float64 // 1 - Σ(y-ŷ)²/Σ(y-ȳ)², NaN if all y are the same
	RMSE float64 // root of the mean squared error
	MAE  float64 // mean absolute error
	Rows int64   // with a prediction
}

// A Comparison compares predicted values with the truth, row by row. Its zero
// value has no rows.
type Comparison struct {
	rows                            int64
	mean, spread, squares, absolute float64
}

// Add compares a row. Those where either is NaN are left out. The sum of
// squares about the mean follows the mean as it moves (Welford 1962).
func (c *Comparison) Add(truth, predicted float64) {
	if math.IsNaN(truth) || math.IsNaN(predicted) {
		return
	}
	c.rows++
	d := truth - c.mean
	c.mean += d / float64(c.rows)
	c.spread += float64(d * (truth - c.mean))
	e := truth - predicted
	c.squares += float64(e * e)
	c.absolute += math.Abs(e)
}

// Fit returns the scores of the rows so far.
func (c *Comparison) Fit() Fit {
	n := float64(c.rows)
	f := Fit{R2: math.NaN(), RMSE: math.Sqrt(c.squares / n), MAE: c.absolute / n, Rows: c.rows}
	if c.spread > 0 {
		f.R2 = 1 - c.squares/c.spread
	}
	return f
}

// Compare compares predicted values with the truth. Rows where either is NaN
// are left out.
func Compare(truth, predicted []float64) (Fit, error) {
	if len(truth) != len(predicted) {
		return Fit{}, fmt.Errorf("%w: %d true values for %d predictions", neighbors.ErrRequest, len(truth), len(predicted))
	}
	var c Comparison
	for i, y := range truth {
		c.Add(y, predicted[i])
	}
	return c.Fit(), nil
}
