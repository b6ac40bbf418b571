package tiles

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"skyjoin/io/catalog"
)

// Open reads the plan in a folder.
func Open(ctx context.Context, dir string) (*Plan, error) {
	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		return nil, planf("%s is a file; a plan is a folder, which 'cluster plan' makes", dir)
	}
	text, err := os.ReadFile(filepath.Join(dir, planFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, planf("%s holds no %s; 'cluster plan' makes one", dir, planFile)
	}
	if err != nil {
		return nil, err
	}
	p := &Plan{dir: dir}
	stored := storedPlan{Plan: p}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&stored); err != nil {
		return nil, planf("%s: %v", filepath.Join(dir, planFile), err)
	}
	p.cuts, p.tree = stored.Cuts, stored.Tree
	if p.Version != version {
		return nil, planf("%s is of version %d of plans, this program knows %d; make the plan anew", dir, p.Version, version)
	}
	sum := sha256.Sum256(text)
	p.id = hex.EncodeToString(sum[:8])
	if !p.sound() {
		return nil, planf("%s is damaged; make the plan anew", filepath.Join(dir, planFile))
	}
	if err := p.noLinks(); err != nil {
		return nil, err
	}
	return p, p.readTables(ctx)
}

// readTables reads the tables that save wrote beside plan.json.
func (p *Plan) readTables(ctx context.Context) error {
	t, err := readTable(ctx, filepath.Join(p.dir, tilesFile), "rows", "halo", "memory", "seconds", "read")
	if err != nil {
		return err
	}
	bad := planf("%s is damaged; make the plan anew", p.dir)
	if n := max(len(p.cuts)-1, (len(p.tree)+1)/2); n != t[0].Len() {
		return bad
	}
	p.Tiles = make([]Tile, t[0].Len())
	p.reads = make([][][]int, len(p.Tiles))
	for i := range p.Tiles {
		p.Tiles[i] = Tile{t[0].Int64[i], t[1].Int64[i], t[2].Int64[i], t[3].Float64[i], t[4].Int64[i]}
		p.reads[i] = make([][]int, len(p.Sets))
		if q := p.Tiles[i]; min(q.Rows, q.Halo, q.Memory, q.Read) < 0 {
			return bad
		}
	}
	q, err := readTable(ctx, filepath.Join(p.dir, partsFile), "set", "file", "group", "groups", "first", "rows")
	if err != nil {
		return err
	}
	p.parts = make([][]catalog.Part, len(p.Sets))
	for i := range q[0].Int64 {
		set, file := int(q[0].Int64[i]), int(q[1].Int64[i])
		if set < 0 || set >= len(p.Sets) || file < 0 || file >= len(p.Sets[set].Files) {
			return bad
		}
		p.parts[set] = append(p.parts[set], catalog.Part{File: file, Group: int(q[2].Int64[i]), Groups: int(q[3].Int64[i]), First: q[4].Int64[i], Rows: q[5].Int64[i]})
	}
	r, err := readTable(ctx, filepath.Join(p.dir, readsFile), "tile", "set", "part")
	if err != nil {
		return err
	}
	for i := range r[0].Int64 {
		tile, set, part := int(r[0].Int64[i]), int(r[1].Int64[i]), int(r[2].Int64[i])
		if tile < 0 || tile >= len(p.Tiles) || set < 0 || set >= len(p.Sets) || part < 0 || part >= len(p.parts[set]) {
			return bad
		}
		p.reads[tile][set] = append(p.reads[tile][set], part)
	}
	return nil
}
