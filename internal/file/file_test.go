package file

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// put makes a file of the test.
func put(t *testing.T, path, text string, perm fs.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, perm); err != nil { // the umask does not count
		t.Fatal(err)
	}
	return path
}

// says checks what a file holds.
func says(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q (error %v), want %q", path, got, err, want)
	}
}

// holds checks the names in a folder.
func holds(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%s holds %q, want %q", folder, got, want)
	}
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	st, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return st.Mode()
}

func write(t *testing.T, path string, opt Options, text string) error {
	t.Helper()
	return Write(t.Context(), path, opt, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func TestModes(t *testing.T) {
	dir := t.TempDir()
	plain, err := os.Create(filepath.Join(dir, "plain")) // of mode 0666 less the umask
	if err != nil {
		t.Fatal(err)
	}
	plain.Close()
	umask := 0o666 &^ mode(t, plain.Name()).Perm()
	for _, c := range []struct {
		name string
		old  fs.FileMode // 0: there is none
		opt  Options
		want fs.FileMode
	}{
		{"new", 0, Options{}, 0o666 &^ umask},
		{"new.forced", 0, Options{Force: true}, 0o666 &^ umask},
		{"script", 0, Options{Perm: 0o777}, 0o777 &^ umask},
		{"private", 0o600, Options{Force: true}, 0o600},
		{"open", 0o666, Options{Force: true}, 0o666},
		{"old.script", 0o750, Options{Force: true, Perm: 0o777}, 0o750},
	} {
		path := filepath.Join(dir, c.name)
		if c.old != 0 {
			put(t, path, "old", c.old)
		}
		o, err := Create(path, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if now := mode(t, o.path).Perm(); c.old != 0 && now != 0o600 {
			t.Errorf("%s: mode %v while it is written, want that only its owner reads it", c.name, now)
		}
		if err := o.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := mode(t, path).Perm(); got != c.want {
			t.Errorf("%s: mode %v, want %v", c.name, got, c.want)
		}
	}
	// A private file that is removed meanwhile leaves its mode behind, one that
	// appears meanwhile passes it on.
	gone, late := put(t, filepath.Join(dir, "gone"), "old", 0o600), filepath.Join(dir, "late")
	for _, c := range []struct {
		path      string
		meanwhile func()
	}{{gone, func() { os.Remove(gone) }}, {late, func() { put(t, late, "old", 0o600) }}} {
		o, err := Create(c.path, Options{Force: true})
		if err != nil {
			t.Fatal(err)
		}
		c.meanwhile()
		if err := o.Commit(t.Context()); err != nil || mode(t, c.path).Perm() != 0o600 {
			t.Errorf("%s: mode %v, error %v, want 0600", c.path, mode(t, c.path), err)
		}
	}
}

func TestNothingIsReplacedWithoutForce(t *testing.T) {
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "old"), "old", 0o644)
	if err := write(t, path, Options{}, "new"); !errors.Is(err, ErrRefused) || err.Error() != path+" exists; --force replaces it" {
		t.Errorf("over an old file: %v", err)
	}
	// Of many that write one new file at once, one does, and the others are told.
	path = filepath.Join(dir, "one")
	errs := make([]error, 20)
	var start, end sync.WaitGroup
	start.Add(1)
	for i := range errs {
		end.Add(1)
		go func() {
			defer end.Done()
			o, err := Create(path, Options{})
			if start.Wait(); err == nil {
				io.WriteString(o, strings.Repeat(string(rune('a'+i)), 10))
				err = o.Commit(t.Context())
				o.Abort()
			}
			errs[i] = err
		}()
	}
	start.Done()
	end.Wait()
	won := -1
	for i, err := range errs {
		switch {
		case err == nil && won < 0:
			won = i
		case err == nil:
			t.Errorf("writers %d and %d have both written %s", won, i, path)
		case !errors.Is(err, ErrRefused):
			t.Errorf("writer %d: %v", i, err)
		}
	}
	if won < 0 {
		t.Fatal("none has written")
	}
	says(t, path, strings.Repeat(string(rune('a'+won)), 10))
	says(t, filepath.Join(dir, "old"), "old")
	holds(t, dir, "old", "one")
}

func TestTargets(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	far := put(t, filepath.Join(other, "far"), "precious", 0o644)
	put(t, filepath.Join(dir, "near"), "old", 0o640)
	for link, to := range map[string]string{"here": "near", "there": far, "away": other, "broken": "nothing", "null": os.DevNull} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		refused bool
		want    string
	}{
		{"folder", true, "it is a directory; name a file in it"},
		{"away", true, "it is a directory; name a file in it"},
		{"broken", false, "it is a link to a file that is not there"},
		{"null", true, "it is not a regular file"},
		{"no/where", false, "no such file or directory"},
	} {
		path := filepath.Join(dir, c.name)
		err := write(t, path, Options{Force: true}, "new")
		if err == nil || err.Error() != "cannot write "+path+": "+c.want || errors.Is(err, ErrRefused) != c.refused {
			t.Errorf("%s: %v, want that %s", c.name, err, c.want)
		}
	}
	if err := write(t, filepath.Join(dir, "no/where"), Options{}, ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	// A link within the folder is followed, one that leads away is replaced.
	for _, link := range []string{"here", "there"} {
		path := filepath.Join(dir, link)
		if err := write(t, path, Options{}, "new"); !errors.Is(err, ErrRefused) {
			t.Errorf("%s without force: %v", link, err)
		}
		if err := write(t, path, Options{Force: true}, "new"); err != nil {
			t.Fatal(err)
		}
		says(t, path, "new")
	}
	says(t, filepath.Join(dir, "near"), "new")
	if m := mode(t, filepath.Join(dir, "near")).Perm(); m != 0o640 {
		t.Errorf("a link was followed to a file of mode 0640, which has %v now", m)
	}
	says(t, far, "precious")
	if mode(t, filepath.Join(dir, "here"))&fs.ModeSymlink == 0 || mode(t, filepath.Join(dir, "there"))&fs.ModeSymlink != 0 {
		t.Error("the link of the folder should be there still, that to another should not")
	}
	holds(t, dir, "away", "broken", "folder", "here", "near", "null", "there")
}

// Links that wait at the name of the temporary file are not written through.
func TestPlantedLink(t *testing.T) {
	dir := t.TempDir()
	victim := put(t, filepath.Join(dir, "victim"), "victim", 0o644)
	for _, create := range []func(string) (*os.File, error){createFile(0o666), createFolder(0o777)} {
		var planted string
		temporary, err := newTemporary(filepath.Join(dir, "k.cu"), func(name string) (*os.File, error) {
			if planted == "" {
				planted = name
				if err := os.Symlink(victim, name); err != nil {
					t.Skip("no symbolic links here: ", err)
				}
			}
			return create(name)
		})
		if err != nil {
			t.Fatal(err)
		}
		if temporary.path == planted {
			t.Errorf("written through a link at %s", planted)
		}
		temporary.drop()
		os.Remove(planted)
	}
	says(t, victim, "victim")
	holds(t, dir, "victim")
}

func TestNothingIsLeftAfterErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	full := errors.New("no space")
	if err := Write(t.Context(), path, Options{}, func(io.Writer) error { return full }); !errors.Is(err, full) || !strings.Contains(err.Error(), "cannot write "+path+": no space; nothing of it is kept") {
		t.Errorf("%v", err)
	}
	o, err := Create(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	o.f.Close() // what is written and synced fails from now on
	if _, err := o.Write([]byte("x")); err == nil {
		t.Error("wrote to a closed file")
	}
	if err := o.Commit(t.Context()); err == nil || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("%v", err)
	}
	o.Abort()
	o.Abort()
	if err := o.Commit(t.Context()); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("committed after Abort: %v", err)
	}
	holds(t, dir)
}

func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	name := strings.Repeat("n", 255)
	if err := write(t, filepath.Join(dir, name), Options{}, "long"); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, name)
}
