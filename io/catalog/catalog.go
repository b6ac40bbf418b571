package catalog

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"skyjoin/internal/expr"
	"skyjoin/internal/format"
	"skyjoin/internal/format/all"
	"skyjoin/internal/par"
)

// Options says how files are opened and read. The zero value is the usual.
type Options struct {
	Null    []string // sentinel values that are nulls, compared by value in numeric columns and as text in strings
	Threads int      // 0: GOMAXPROCS

	// Extension says which table of FITS files is read: that of this EXTNAME or
	// number, the first extension being 1; "" is the first table. A path may say
	// so itself: events.fits[2], events.fits[GTI].
	Extension string

	// Let defines columns: "name = expression", in the language of row filters.
	// They follow the columns of the files.
	Let []string

	// Define defines columns after those of Let: the [Catalog.Definitions] of a
	// catalog that this one is to be like.
	Define []Definition
}

func (o Options) threads() int {
	if o.Threads > 0 {
		return o.Threads
	}
	return runtime.GOMAXPROCS(0)
}

// A KeyValue is one entry of the metadata of a table.
type KeyValue struct{ Key, Value string }

// A Catalog is one table in one or more files. It is safe for concurrent use.
type Catalog struct {
	opt     Options
	null    []sentinel
	pool    par.Pool
	files   []File
	sources []format.Reader
	first   []int64 // catalog row of each file's row 0
	rows    int64
	fields  []Field
	stored  int // fields that are in files; the others are derived
	derived []*expr.Program
	index   map[string]int // of fields, by name
	refs    [][]int        // refs[file][field]: index into the file's own fields, -1 when it lacks the field
}

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
		null:    parseSentinels(opt.Null),
		pool:    par.NewPool(opt.threads()),
		files:   make([]File, len(names)),
		sources: make([]format.Reader, len(names)),
		first:   make([]int64, len(names)),
	}
	each := opt // the files are opened together and share the threads
	each.Threads = max(1, opt.threads()/max(1, len(names)))
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
	if opt.Extension != "" && !slices.ContainsFunc(c.files, func(f File) bool { return f.Format == "fits" }) {
		return nil, format.Requestf("extension %s: no file is FITS, which has extensions to choose from", opt.Extension)
	}
	if err := c.reconcile(); err != nil {
		return nil, err
	}
	for i := range c.fields {
		if len(c.null) > 0 && c.fields[i].Type.storage() != format.NoStorage {
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
		if !in.Sniff(path, head) {
			continue
		}
		if named && in.Name != "fits" {
			return File{}, nil, format.Requestf("it is %s; only FITS files have extensions to choose from", in.Name)
		}
		s, err := in.Open(ctx, path, format.Options{Null: opt.Null, Threads: opt.threads(), Extension: opt.Extension})
		if err != nil {
			return File{}, nil, err
		}
		f := File{Path: path, Format: s.Format(), Rows: s.Rows(), Bytes: size}
		if f.Format == "fits" {
			f.Extension = opt.Extension
		}
		return f, s, nil
	}
	var formats []string
	for _, in := range all.Inputs {
		formats = append(formats, in.Name)
	}
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
	head := make([]byte, format.HeadBytes)
	n, err := io.ReadFull(f, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head[:n], info.Size(), err
}

// Close releases the catalog.
func (c *Catalog) Close() error {
	c.sources = nil
	return nil
}

// Files returns the files in the order of their rows.
func (c *Catalog) Files() []File { return c.files }

// Fields returns the columns, in the order of the first file, then those that
// only later files have.
func (c *Catalog) Fields() []Field { return c.fields }

// Rows returns the number of rows of all files.
func (c *Catalog) Rows() int64 { return c.rows }

// Metadata returns the key-value metadata of the table: that of the first
// file, in its order.
func (c *Catalog) Metadata() []KeyValue {
	var all []KeyValue
	for _, kv := range c.sources[0].Metadata() {
		all = append(all, KeyValue(kv))
	}
	return all
}
