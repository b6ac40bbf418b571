package kernel

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	all := All()
	if all[0] != &generic {
		t.Errorf("the first is %s", all[0].Name)
	}
	if f, err := choose(""); f != all[len(all)-1] || err != nil {
		t.Errorf("unasked: %v, %v", f, err)
	}
	for _, want := range all {
		if f, err := choose(want.Name); f != want || err != nil {
			t.Errorf("%s: %v, %v", want.Name, f, err)
		}
	}
	if _, err := choose("sse9"); err == nil || !strings.Contains(err.Error(), `"sse9"`) || !strings.Contains(err.Error(), "generic") {
		t.Errorf("sse9: %v", err)
	}
}

// TestOverride runs itself in processes that have the variable set.
func TestOverride(t *testing.T) {
	if os.Getenv("SKYJOIN_KERNEL_CHILD") != "" {
		os.Stdout.WriteString("kernels " + Best().Name + "\n")
		if err := Check(); err != nil {
			os.Stdout.WriteString("refused\n")
		}
		return
	}
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes here")
	}
	all := All()
	fastest := all[len(all)-1].Name
	want := map[string]string{"": "kernels " + fastest + "\n", "sse9": "kernels " + fastest + "\nrefused\n"}
	for _, f := range all {
		want[f.Name] = "kernels " + f.Name + "\n"
	}
	for value, text := range want {
		c := exec.Command(os.Args[0], "-test.run=^TestOverride$")
		c.Env = append(os.Environ(), "SKYJOIN_KERNEL_CHILD=1", Override+"="+value)
		out, err := c.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), text+"PASS") {
			t.Errorf("%s=%s: %q (%v), want %q", Override, value, out, err, text)
		}
	}
}
