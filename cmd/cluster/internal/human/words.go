package human

import (
	"strings"
)

// OrList is "a", "a or b", "a, b or c".
func OrList(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Short cuts a text to n letters and keeps it on one line.
func Short(text string, n int) string {
	letters := []rune(strings.Join(strings.Fields(text), " "))
	if len(letters) > n {
		return string(letters[:n-1]) + "…"
	}
	return string(letters)
}

func FirstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
