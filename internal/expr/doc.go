// Package expr parses, checks and evaluates row filters and computed columns.
//
//	parallax > 2 and phot_g_mean_mag < 18
//	source_id in (4295806720, 34361129088) or "BP-RP" between 0.5 and 1.5
//	(ra + 180) % 360 < 20 and not isnan(pmra) and class = 'RR'
//
// # Names and literals
//
// A column is written as it is (ra, a.b, pos[0]) or, if its name has other
// characters or is a word of the language, between double quotes or
// backquotes ("BP-RP", `in`); a doubled quote stands for itself. Column names
// are case sensitive, all other words are not. Text stands between single
// quotes. true, false and pi are literals; null is only used in "is null".
//
// A number with a unit, as in parallax > 5 mas, dec - 30 arcmin or
// pmra < 2 mas/yr, is turned into the unit of the columns that it is compared
// with, added to or subtracted from; without one it is in their unit.
//
// # Operators, from the loosest to the tightest
//
//	or  ||
//	and &&
//	not !
//	= == != <> < <= > >=   between a and b   in (a, b, …)   is [not] null
//	+ -
//	* / // %
//	- (sign)
//	^ **                   to the right; -2^2 is -4
//
// / always divides as float64. // rounds down and % has the sign of the
// divisor, so that (ra - 180) % 360 is in [0, 360); both are exact on
// integers, where a divisor of 0 gives null.
//
// # Values
//
// There are float64 (float32 columns are widened), int64, uint64, bool and
// text values. Integers never pass through float64 unless they meet one in
// arithmetic or are given to a function of real numbers: comparisons are
// exact for every mixture of types, and integer arithmetic that leaves the 64
// bits is an error that names the row. Arithmetic of an unsigned and a signed
// value, and any difference, is signed.
//
// A null operand makes the result null, except that false and null is false,
// true or null is true, and "is null" is never null. A comparison with NaN is
// false, != included, so that a row without a measurement passes no
// comparison, however the absence is written. A filter keeps the rows for
// which it is true, and drops those for which it is false or null.
//
// # Evaluation
//
// [Parse] makes an [Expr], [Expr.Compile] checks the types of its columns and
// makes a [Program], whose Filter and Eval work through column slices in
// blocks that stay in the cache. [Expr.CanPass] tells from bounds of the
// columns whether any row can pass.
package expr
