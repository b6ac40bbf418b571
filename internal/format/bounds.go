package format

// Bounds is what is known about the values of a field in some rows.
type Bounds struct {
	Min, Max Number // no value but NaN is outside; Store NoStorage if unknown
	Nulls    int64  // how many rows are null, -1 if unknown
	AllNull  bool
	NaN      bool // some values may be NaN
}

// A Number is a float64, int64 or uint64, as Store says.
type Number struct {
	Store Storage
	F     float64
	I     int64
	U     uint64
}

// More reports whether a > b; both are of one kind.
func (a Number) More(b Number) bool { return a.F > b.F || a.I > b.I || a.U > b.U }

// Float returns the number as the nearest float64.
func (a Number) Float() float64 {
	switch a.Store {
	case InInt64:
		return float64(a.I)
	case InUint64:
		return float64(a.U)
	}
	return a.F
}
