package figure

import (
	"strings"

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
	for {
		i := nextScript(s)
		if i < 0 {
			plain(s)
			return all
		}
		end := i + 2 + strings.IndexByte(s[i+2:], '}')
		plain(s[:i])
		rise := vg.Length(subscriptRise)
		if s[i] == '^' {
			rise = superscriptRise
		}
		all = append(all, script{s[i+2 : end], rise, scriptScale})
		s = s[end+1:]
	}
}

// nextScript returns where the next whole subscript or superscript begins, -1
// if there is none.
func nextScript(s string) int {
	for i := 0; i+2 < len(s); i++ {
		if (s[i] == '_' || s[i] == '^') && s[i+1] == '{' && strings.IndexByte(s[i+2:], '}') > 0 {
			return i
		}
	}
	return -1
}
