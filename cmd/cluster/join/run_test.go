package join

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"skyjoin/cmd/cluster/internal/cmdtest"
	"skyjoin/cmd/cluster/internal/job"
	"skyjoin/internal/used"
)

// A command runs without a command line.
func TestRunTakesOptions(t *testing.T) {
	var out bytes.Buffer
	app := &job.App{Stdout: &out, Stderr: io.Discard, Version: "1"}
	o := &Options{}
	o.Run.JSON = true
	o.Geometry.Columns = []string{"x", "y"}
	if err := o.eps.Set("1"); err != nil {
		t.Fatal(err)
	}
	in := cmdtest.CSVOf(t, "x,y", "0,0", "0,1", "5,5")
	if err := Run(used.In(t.Context(), &app.Used), app, o, []string{in}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"command":"join","version":"1"`, `"pairs":1`, `"algorithm":"grid"`} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%s does not say %s", &out, part)
		}
	}
	o.eps.Text = ""
	if err := Run(t.Context(), app, o, []string{in}); err == nil || !strings.Contains(err.Error(), "--eps is needed") {
		t.Errorf("without eps: %v", err)
	}
}
