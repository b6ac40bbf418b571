package figure

import (
	"regexp"

	"gonum.org/v1/plot/vg"
)

// A script is a part of a text on one base line.
type script struct {
	text        string
	rise, scale vg.Length // of the base line in units of the size, and of the size
}

// Subscripts and superscripts.
const (
	subscriptRise   = -0.2
	superscriptRise = 0.38
	scriptScale     = 0.7
)

var scriptPattern = regexp.MustCompile(`[_^]\{([^}]+)\}`)

// scripts splits a text at its subscripts, written _{…}, and superscripts,
// ^{…}. The braces are needed because column names are full of
// underscores; a text without a closing brace is plain.
func scripts(s string) []script {
	var all []script
	plain := func(t string) {
		if t != "" {
			all = append(all, script{t, 0, 1})
		}
	}
	end := 0
	for _, m := range scriptPattern.FindAllStringSubmatchIndex(s, -1) {
		plain(s[end:m[0]])
		rise := vg.Length(subscriptRise)
		if s[m[0]] == '^' {
			rise = superscriptRise
		}
		all = append(all, script{s[m[2]:m[3]], rise, scriptScale})
		end = m[1]
	}
	plain(s[end:])
	return all
}
