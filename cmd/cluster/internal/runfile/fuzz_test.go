package runfile

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"skyjoin/cmd/cluster/internal/exit"
)

// FuzzParse reads any text as a file of a run, or of a pipeline. It is read, or refused
// in a line that names the file; what is read is put to the flags of a command as it
// stands there.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"command = \"dbscan\"\ninputs = [\"a.csv\", 'b.csv']\neps = 2.5 # arcmin\nmin-points = 4\nstar = true\nwhere = [\"x > 1\", \"y > 1\"]\n",
		"memory = \"1GiB\"\n\n[catalog]\ncommand = \"convert\"\n\n[\"a b\"]\neps = 1e3\ncolumns = [\n  \"x\", # one\n  \"y\",\n]\n",
		"eps = 1\neps = 2\n", "[a]\n[a.b]\n", "[[a]]\n", "a.b = 1\n", "\"\" = 1\n[\"\"]\n", "eps = 1979-05-27\n", "eps = inf\nmin-points = -0x7f\n", "columns = [[\"x\"]]\n",
		"where = \"\"\"\nx > 1\"\"\"\n", "a = {b = 1}\n", "eps = 9223372036854775808\n", "\xff = 1\n", "x = \"\\u0000\"\r\n[t]\r\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const path = "run.toml"
		refused := func(err error) {
			if message := exit.Message(err); !strings.HasPrefix(message, path+":") || strings.Count(message, "\n") > 1 || exit.Status(err) != exit.Request {
				t.Errorf("%q: %q, status %d", text, message, exit.Status(err))
			}
		}
		all, err := Parse(path, []byte(text))
		if err != nil {
			refused(err)
			return
		}
		if len(all) == 0 || all[0].Name != "" {
			t.Fatalf("%q: %+v", text, all)
		}
		lines := strings.Count(text, "\n") + 1
		for _, s := range all {
			for _, k := range s.Keys {
				if s.Line < 1 || k.Line < s.Line || k.Line > lines || !k.List && len(k.Values) != 1 {
					t.Errorf("%q: line %d of [%s] from line %d: %+v", text, k.Line, s.Name, s.Line, k)
				}
			}
			cmd := &cobra.Command{Use: "dbscan"}
			fs := cmd.Flags()
			fs.Float64("eps", 0, "radius")
			fs.Int("min-points", 0, "rows")
			fs.Bool("star", false, "DBSCAN*")
			fs.String("columns", "", "list")
			where := fs.StringArray("where", nil, "filter")
			inputs, err := s.Apply(cmd)
			if err != nil {
				refused(err)
				continue
			}
			if _, err := s.Args(cmd); err != nil {
				t.Errorf("%q is applied, but no command line: %v", text, err)
			}
			if k, found := s.Take(Inputs); found != (inputs != nil) && len(k.Values) > 0 {
				t.Errorf("%q: inputs %q, want %q", text, inputs, k.Values)
			}
			if k, found := s.Take("where"); found && !slices.Equal(*where, k.Values) {
				t.Errorf("%q: where is %q, want %q", text, *where, k.Values)
			}
		}
	})
}
