package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"skyjoin/internal/page"
)

// root is the checkout.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// The same files give the same bytes, of one time and nobody's.
func TestArchivesAreReproducible(t *testing.T) {
	r := &release{at: time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)}
	files := []entry{{"cluster", []byte("program"), 0o755}, {"man1/cluster.1", []byte("page"), 0o644}, {"LICENSE", []byte("terms"), 0o644}}
	for name, make := range map[string]func(string, []entry) ([]byte, error){"tar": r.tarball, "zip": r.zipped} {
		one, err := make("skyjoin-1", files)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(files)
		two, err := make("skyjoin-1", files)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one, two) {
			t.Errorf("%s: other bytes in another order", name)
		}
		if name == "tar" {
			checkTar(t, r, one)
		}
	}
}

func checkTar(t *testing.T, r *release, b []byte) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for a := tar.NewReader(z); ; {
		h, err := a.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(r.at) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s is of %v and of %d %s", h.Name, h.ModTime, h.Uid, h.Uname)
		}
		got = append(got, h.Name+" "+h.FileInfo().Mode().String())
	}
	if want := []string{"skyjoin-1/LICENSE -rw-r--r--", "skyjoin-1/cluster -rwxr-xr-x", "skyjoin-1/man1/cluster.1 -rw-r--r--"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTargets(t *testing.T) {
	for name, want := range map[string]int{"": len(targets), "linux/amd64": 1, "linux/amd64/gpu,windows/amd64": 2} {
		if got, err := chosen(name); err != nil || len(got) != want {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	if _, err := chosen("linux/vax"); err == nil {
		t.Error("there is no linux/vax")
	}
}

// What describes the release elsewhere is of its version, and names what is there.
func TestRecipe(t *testing.T) {
	version, err := versionOf(filepath.Join(root(t), "cmd", "cluster", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root(t), "packaging", "conda", "recipe.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var recipe struct {
		Context struct{ Version string }
		Source  struct{ Path string }
		About   struct {
			License []string `yaml:"license_file"`
		}
	}
	if err := yaml.Unmarshal(text, &recipe); err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(version, "-", ""); recipe.Context.Version != want {
		t.Errorf("the recipe is of version %s, the program of %s", recipe.Context.Version, want)
	}
	if at := filepath.Join(root(t), "packaging", "conda", recipe.Source.Path); at != root(t) {
		t.Errorf("the source is in %s", at)
	}
	if want := []string{"LICENSE", thirdPartyName}; !slices.Equal(recipe.About.License, want) {
		t.Errorf("licences: %q, want %q", recipe.About.License, want)
	}
}

// The program for this machine is static, says nothing of where it was built, and is
// described with all that is linked in. Its Debian package installs into an empty root
// and does the work of 'make demo' there, without anything else, as the program of the
// archive does in another; removed, the package leaves nothing behind.
func TestPackageRunsInACleanRoot(t *testing.T) {
	if testing.Short() {
		t.Skip("building the program is slow")
	}
	for _, tool := range []string{"dpkg", "dpkg-deb", "chroot"} {
		if _, err := exec.LookPath(tool); err != nil || os.Getuid() != 0 || runtime.GOOS != "linux" {
			t.Skipf("needs %s, and root on Linux", tool)
		}
	}
	version, err := versionOf(filepath.Join(root(t), "cmd", "cluster", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := &release{root: root(t), dir: filepath.Join(dir, "out"), version: version, commit: "abc 2026-11-29T10:00:00Z", at: time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)}
	here := target{os: "linux", arch: runtime.GOARCH}
	if err := os.Mkdir(r.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := r.document(t.Context(), filepath.Join(dir, "here")); err != nil {
		t.Fatal(err)
	}
	if err := r.make(t.Context(), here, filepath.Join(dir, "work")); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "work", "cluster")
	binary, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if len(binary) > 30e6 { // as it would with templates of text/template, or with gonum's fonts: see docs/release.md
		t.Errorf("the program takes %.1f MB", float64(len(binary))/1e6)
	}
	for _, path := range []string{r.root, dir, os.Getenv("HOME") + "/"} {
		if bytes.Contains(binary, []byte(path)) {
			t.Errorf("the program names %s", path)
		}
	}
	parts, err := partsOf(t.Context(), r.root, program)
	if err != nil {
		t.Fatal(err)
	}
	checkParts(t, r, here, program, parts)
	clean := filepath.Join(dir, "clean")
	for _, path := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "tmp"} {
		if err := os.MkdirAll(filepath.Join(clean, path), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"var/lib/dpkg/status", "var/lib/dpkg/available"} {
		if err := os.WriteFile(filepath.Join(clean, path), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	debs, _ := filepath.Glob(filepath.Join(r.dir, "skyjoin_*_"+here.arch+".deb"))
	if len(debs) != 1 {
		t.Fatalf("packages: %q", debs)
	}
	run("dpkg", "--root="+clean, "--force-architecture", "-i", debs[0])
	in := func(args ...string) string {
		return run("chroot", append([]string{clean, "/usr/bin/cluster"}, args...)...)
	}
	if got := in("--version"); !strings.HasPrefix(got, "cluster "+version+"\ncommit abc of 2026-11-29\n") {
		t.Errorf("%q", got)
	}
	demo(t, clean)
	if got := in("info", "/demo/labelled.parquet"); !strings.Contains(got, "cluster") || !strings.Contains(got, "40,000") {
		t.Errorf("%s", got)
	}
	for _, path := range []string{"usr/share/man/man1/cluster-dbscan.1.gz", "usr/share/bash-completion/completions/cluster", "usr/share/doc/skyjoin/copyright", "usr/share/doc/skyjoin/" + thirdPartyName} {
		if _, err := os.Stat(filepath.Join(clean, path)); err != nil {
			t.Error(err)
		}
	}
	for _, made := range []string{"demo", "bin"} {
		if err := os.RemoveAll(filepath.Join(clean, made)); err != nil {
			t.Fatal(err)
		}
	}
	unpacked := filepath.Join(dir, "unpacked", "usr", "bin")
	if err := os.MkdirAll(unpacked, 0o777); err != nil {
		t.Fatal(err)
	}
	run("tar", "xf", filepath.Join(r.dir, here.archive(version)+".tar.gz"), "-C", unpacked, "--strip-components=1", here.archive(version)+"/cluster")
	demo(t, filepath.Join(dir, "unpacked"))
	run("dpkg", "--root="+clean, "--purge", "skyjoin")
	if _, err := os.Stat(filepath.Join(clean, "usr")); err == nil {
		t.Error("something is left of the package")
	}
}

// demo does the work of 'make demo' with the program of a root, in which there is
// nothing else that runs.
func demo(t *testing.T, clean string) {
	t.Helper()
	wrapper := "#!/bin/sh\nexec chroot '" + clean + "' /usr/bin/cluster \"$@\"\n"
	if err := write(filepath.Join(clean, "bin", "cluster"), []byte(wrapper)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(clean, "bin", "cluster"), 0o777); err != nil {
		t.Fatal(err)
	}
	said, err := output(t.Context(), clean, nil, "sh", filepath.Join(root(t), "demo.sh"))
	if err != nil {
		t.Fatalf("demo.sh: %v\n%s", err, said)
	}
	found := regexp.MustCompile(`(?m)^ +\d+ +\d+ +(\d+)% +\d+ +(\d+)%$`).FindAllStringSubmatch(said, -1)
	for _, share := range found {
		if len(share[1]) < 2 || len(share[2]) < 2 || share[1] < "80" && share[1] != "100" || share[2] < "80" && share[2] != "100" {
			t.Errorf("a cluster was not found: %s", share[0])
		}
	}
	if len(found) != 6 {
		t.Errorf("%d of 6 clusters are listed:\n%s", len(found), said)
	}
	for _, name := range []string{"field.parquet", "labelled.parquet", "clusters.csv", "map.png"} {
		if info, err := os.Stat(filepath.Join(clean, "demo", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// checkParts compares the list of parts and the terms with what is linked in.
func checkParts(t *testing.T, r *release, here target, program string, parts []part) {
	t.Helper()
	listed, err := exec.CommandContext(t.Context(), "go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := regexp.MustCompile(`(?m)^\tdep\t(\S+)\t(\S+)`).FindAllStringSubmatch(string(listed), -1)
	if len(linked) < 20 || len(linked)+1 != len(parts) {
		t.Errorf("%d modules are linked in, %d parts are described", len(linked), len(parts))
	}
	text, err := r.bom(here, program, parts)
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		Format     string `json:"bomFormat"`
		Version    string `json:"specVersion"`
		Serial     string `json:"serialNumber"`
		Components []component
	}
	if err := json.Unmarshal(text, &bom); err != nil || bom.Format != "CycloneDX" || bom.Version != "1.6" {
		t.Errorf("%v, %+v", err, bom)
	}
	if !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(bom.Serial) {
		t.Errorf("%s is no UUID", bom.Serial)
	}
	for _, m := range linked {
		i := slices.IndexFunc(bom.Components, func(c component) bool { return c.PURL == purl(m[1], m[2]) })
		if i < 0 || len(bom.Components[i].Licenses) == 0 {
			t.Errorf("%s is not among the parts, or has no licence that is known", m[1])
		}
	}
	terms, err := thirdParty(parts)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range page.Libraries() {
		i := slices.IndexFunc(bom.Components, func(c component) bool { return c.PURL == "pkg:npm/"+l.Name+"@"+l.Version })
		if i < 0 || bom.Components[i].Licenses[0].License.ID == "" || !bytes.Contains(terms, []byte(l.Terms)) {
			t.Errorf("%s %s of the script of pages is not among the parts, or its terms are not known", l.Name, l.Version)
		}
	}
	for _, p := range parts {
		if !bytes.Contains(terms, []byte("\n"+p.path+" "+p.version+": ")) {
			t.Errorf("no terms of %s", p.path)
		}
	}
}
