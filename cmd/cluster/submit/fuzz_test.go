package submit

import (
	"strings"
	"testing"

	"skyjoin/tiles"
)

// FuzzScripts makes job scripts of plans and programs of any name: the shell gets
// every name back as it is, and a name adds no line.
func FuzzScripts(f *testing.F) {
	for _, name := range []string{"plan", "a b", "it's", "$(x)", "`x`", "%j\"", "-n", "'; x #", "\\"} {
		f.Add(name, name)
	}
	f.Fuzz(func(t *testing.T, self, dir string) {
		o := &Options{self: self, dir: dir, plan: &tiles.Plan{Tiles: make([]tiles.Tile, 3)}}
		if o.engine.Value = "slurm"; o.scriptable() != nil {
			return
		}
		for _, script := range []string{o.arrayScript([]int{0, 2}), o.mergeScript()} {
			lines := strings.Split(strings.TrimSuffix(script, "\n"), "\n")
			last := lines[len(lines)-1]
			words, rest := unquoted(t, strings.TrimPrefix(last, "exec "))
			if words[0] != self || words[2] != dir || !strings.Contains(rest, "--quiet") {
				t.Fatalf("%q and %q become the words %q", self, dir, words)
			}
			for _, line := range lines[1 : len(lines)-1] {
				if !strings.HasPrefix(line, "#SBATCH --") {
					t.Fatalf("%q has made the line %q", dir, line)
				}
			}
		}
	})
}

// unquoted returns the first three words of a command line as a shell reads them.
func unquoted(t *testing.T, line string) (words []string, rest string) {
	t.Helper()
	word, open := "", false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			open = !open
		case open:
			word += string([]byte{c})
		case c == '\\' && i+1 < len(line):
			i++
			word += string([]byte{line[i]})
		case c == ' ':
			if words = append(words, word); len(words) == 3 {
				return words, line[i:]
			}
			word = ""
		case c >= 'a' && c <= 'z':
			word += string([]byte{c})
		default:
			t.Fatalf("%q is not quoted in %q", c, line)
		}
	}
	t.Fatalf("%q has fewer than three words", line)
	return nil, ""
}
