package fits

import "testing"

// Characters that a header cannot contain are in it as escapes, and are read again.
func TestEscapes(t *testing.T) {
	for _, text := range []string{"größe µ of α", "plain", `a\b`, "𝛼 ≤ 1"} {
		if in := ascii(text); !isPlain(in) || unescaped(in) != text {
			t.Errorf("%s is %s in a header, and read as %s", text, in, unescaped(in))
		}
	}
	if got := unescaped(`\ud800 \u000a \u12`); got != `\ud800 \u000a \u12` {
		t.Errorf("escapes of no character are read as %q", got)
	}
}
