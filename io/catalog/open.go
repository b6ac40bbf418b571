package catalog

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"skyjoin/internal/each"
	"skyjoin/internal/format"
	"skyjoin/internal/format/all"
	"skyjoin/internal/par"
)

// Open finds the files that paths name as [Expand] does, reads their footers
// or headers, and makes one catalog of them, with the rows in the order of the
// files. Columns of the same name are one column; their types must agree or
// widen exactly, and a column that some file lacks is an error when it is
// asked for.
func Open(ctx context.Context, paths []string, opt Options) (*Catalog, error) {
	names, err := Expand(paths)
	if err != nil {
		return nil, err
	}
	c := &Catalog{
		opt:     opt,
		pool:    par.NewPool(par.Threads(opt.Threads)),
		files:   make([]File, len(names)),
		sources: make([]format.Reader, len(names)),
		first:   make([]int64, len(names)),
	}
	each := opt // the files are opened together and share the threads
	each.Threads = max(1, par.Threads(opt.Threads)/max(1, len(names)))
	err = c.pool.Run(ctx, len(names), func(i int) error {
		f, s, err := openFile(ctx, names[i], each)
		if err != nil {
			return fmt.Errorf("%s: %w", names[i], err)
		}
		c.files[i], c.sources[i] = f, s
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, f := range c.files {
		c.first[i] = c.rows
		c.rows += f.Rows
		if c.rows < 0 {
			return nil, fmt.Errorf("%s: the files claim more than 2^63 rows", f.Path)
		}
	}
	if opt.Extension != "" && !slices.ContainsFunc(c.files, func(f File) bool { return f.Extension != "" }) {
		return nil, format.Requestf("extension %s: no file is FITS, which has extensions to choose from", opt.Extension)
	}
	if err := c.reconcile(); err != nil {
		return nil, err
	}
	for i := range c.fields {
		if len(c.opt.Null) > 0 && c.fields[i].Type.storage() != format.NoStorage {
			c.fields[i].Nullable = true // any value may be one
		}
	}
	c.stored = len(c.fields)
	if err := c.derive(opt.Let); err != nil {
		return nil, err
	}
	for _, d := range opt.Define {
		if err := c.define(d); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func openFile(ctx context.Context, path string, opt Options) (File, format.Reader, error) {
	file, extension, named := cutExtension(path)
	if named {
		path, opt.Extension = file, extension
	}
	head, size, err := readHead(path)
	if err != nil {
		return File{}, nil, err
	}
	if size == 0 {
		return File{}, nil, fmt.Errorf("the file is empty")
	}
	for _, in := range all.Inputs {
		if !in.Recognises(path, head) {
			continue
		}
		if named && !in.Tables {
			return File{}, nil, format.Requestf("it is %s; only FITS files have extensions to choose from", in.Name)
		}
		s, err := in.Open(ctx, path, format.Options{Null: opt.Null, Threads: par.Threads(opt.Threads), Extension: opt.Extension})
		if err != nil {
			return File{}, nil, err
		}
		f := File{Path: path, Format: s.Format(), Rows: s.Rows(), Bytes: size}
		if in.Tables {
			f.Extension = opt.Extension
		}
		return f, s, nil
	}
	formats := each.Of(all.Inputs, func(in format.Input) string { return in.Name })
	return File{}, nil, fmt.Errorf("not a catalog in a format that is known: %s", strings.Join(formats, ", "))
}

// readHead returns the first bytes of a regular file, and its size.
func readHead(path string) ([]byte, int64, error) {
	f, err := format.OpenRegular(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	head, err := io.ReadAll(io.LimitReader(f, format.HeadBytes))
	return head, info.Size(), err
}
