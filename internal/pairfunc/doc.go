// Package pairfunc compiles expressions into functions of two rows, for the CPU
// and as CUDA source. It follows the framework of Pitaksirianan, Nouri & Tu,
// "2-Body Statistics on GPUs", section 4.
//
// The language is that of package expr, over two rows a and b:
//
//	a.mag, b.mag        a column of either row
//	a, b, a - b         the coordinates, as vectors; a[0] is the first
//	dx, dy, dz          differences a - b of the coordinates of that name, else
//	                    of the first, second and third
//	r                   the Euclidean distance, the root of the sum of the squared
//	                    differences in the order of the coordinates
//	dot(u, v) norm(u) sum(u)  of vectors; + - * / and abs work element by element
//
// In a periodic box differences are those of the nearest images, and r is of them;
// of RA and Dec, r is the angle in degrees (see [Schema]).
//
// Values are float64 or true/false. A whole power up to 4 is a product, from the
// left, and ^0.5 a square root. Every operation is rounded by itself.
//
// Parts that depend on one row only are evaluated once for each row, not for each
// pair.
//
// [Function.Commutes] says whether f(a, b) = f(b, a) follows from the form of
// the expression, so that one call is enough for a pair: that with the lower row
// as a.
package pairfunc
