package kernel

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// TestOverride runs itself in processes that have the variable set.
func TestOverride(t *testing.T) {
	if os.Getenv("SKYJOIN_KERNEL_CHILD") != "" {
		os.Stdout.WriteString("kernels " + Best().Name + "\n")
		return
	}
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes here")
	}
	all := All()
	fastest := all[len(all)-1].Name
	want := map[string]string{"": "kernels " + fastest + "\n", "sse9": "kernels " + fastest + "\n"}
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
