package classify

import "skyjoin/cmd/cluster/internal/report"

// Result is that of the command on a query.
type Result struct {
	rowsScored
	*classesOf
	*accuracy
	*regression
	*tied
	*byClass
	withoutClass
	curve
	*validated
}

// Scores is the result of a cross-validation without a query.
type Scores struct {
	rowsScored
	*classesOf
	*accuracy
	*right
	*regression
	*tied
	chosen
	*byClass
	withoutClass
	curve
}

type rowsScored struct {
	Rows int64 `json:"rows" jsonschema:"rows that got an answer, or were scored"`
}

type classesOf struct {
	Classes int64 `json:"classes" jsonschema:"classes of the training rows"`
}

type accuracy struct {
	Accuracy report.Float `json:"accuracy" jsonschema:"share of the rows whose class is right"`
}

type right struct {
	Right int64 `json:"right" jsonschema:"rows whose class is right"`
}

type regression struct {
	R2   report.Float `json:"r2" jsonschema:"coefficient of determination"`
	RMSE report.Float `json:"rmse" jsonschema:"root of the mean squared error"`
	MAE  report.Float `json:"mae" jsonschema:"mean absolute error"`
}

type tied struct {
	Ties int64 `json:"ties" jsonschema:"rows for which classes had equal votes"`
}

type chosen struct {
	K int64 `json:"k,omitempty" jsonschema:"neighbours, as chosen by the scores"`
}

type byClass struct {
	Scores    []ClassScore `json:"scores" jsonschema:"scores of each class"`
	Confusion [][]int64    `json:"confusion" jsonschema:"rows by their class and by the class they got, in the order of scores"`
}

// A ClassScore is the scores of a class.
type ClassScore struct {
	Class     string       `json:"class" jsonschema:"name of the class"`
	Rows      int64        `json:"rows" jsonschema:"rows of it"`
	Precision report.Float `json:"precision" jsonschema:"share of the rows that got it which are of it"`
	Recall    report.Float `json:"recall" jsonschema:"share of its rows that got it"`
	F1        report.Float `json:"f1" jsonschema:"harmonic mean of the two"`
}

type withoutClass struct {
	Outliers int64 `json:"outliers,omitempty" jsonschema:"rows without a training row within --radius"`
}

type curve struct {
	Curve []ScoreOfK `json:"curve,omitempty" jsonschema:"scores of each K"`
}

// A ScoreOfK is the score of a number of neighbours.
type ScoreOfK struct {
	K     int64        `json:"k" jsonschema:"neighbours"`
	Score report.Float `json:"score" jsonschema:"accuracy, or R² of a regression"`
}

type validated struct {
	CV Object `json:"cv" jsonschema:"scores of the cross-validation"`
}

// Object is the object of a cross-validation.
type Object = report.Object

// regression are the scores of a fit.
func (s *scored) regression() regression {
	return regression{report.Float(s.fit.R2), report.Float(s.fit.RMSE), report.Float(s.fit.MAE)}
}
