// Package size formats numbers of bytes for people.
package size

import "strconv"

var units = []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// Text writes a number of bytes with a decimal in the largest binary unit that
// keeps it above 1, as in 1.5 GiB.
func Text(bytes int64) string { return text(bytes, 1) }

// Up is Text of no fewer bytes than there are.
func Up(bytes int64) string {
	unit := int64(1)
	for bytes/unit >= 1024 {
		unit *= 1024
	}
	tenths := bytes/unit*10 + (bytes%unit*10+unit-1)/unit
	return Text(tenths * unit / 10)
}

// Texts writes two numbers with as many decimals as it takes to tell them apart.
func Texts(a, b int64) (string, string) {
	for decimals := 1; decimals < 18; decimals++ {
		if x, y := text(a, decimals), text(b, decimals); x != y || a == b {
			return x, y
		}
	}
	return strconv.FormatInt(a, 10) + " B", strconv.FormatInt(b, 10) + " B"
}

func text(bytes int64, decimals int) string {
	v, u := float64(bytes), 0
	for v >= 1024 && u < len(units)-1 {
		v, u = v/1024, u+1
	}
	if u == 0 {
		decimals = 0
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + " " + units[u]
}
