package page

import (
	"bufio"
	"compress/flate"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
)

// script is the one asset.
//
//go:embed asset/page.js
var script string

// A block is data of a document. Its bytes are written when its turn comes.
type block struct {
	name  string
	level int // of deflate
	write func(io.Writer) error
}

// write writes a page: what it records about itself (XMP, in which all text is escaped), the blocks, then what is said about them, which may be known
// only when they are written.
func write(w io.Writer, title, record string, blocks []block, meta any) error {
	b := bufio.NewWriterSize(w, 1<<16)
	sum := sha256.Sum256([]byte(script))
	fmt.Fprintf(b, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-%s'; style-src 'unsafe-inline'; img-src blob: data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="skyjoin">
<title>%s</title>
</head>
<body>
<p id="loading">Loading&hellip;</p>
<noscript>This page needs JavaScript and WebGL 2.</noscript>
`, base64.StdEncoding.EncodeToString(sum[:]), html.EscapeString(title))
	fmt.Fprintf(b, "<script type=\"application/rdf+xml\">%s</script>\n", record)
	for _, k := range blocks {
		if err := k.embed(b); err != nil {
			return err
		}
	}
	text, err := json.Marshal(meta) // it escapes <, > and &
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "<script type=\"application/json\" id=\"meta\">%s</script>\n<script>%s</script>\n</body>\n</html>\n", text, script)
	return b.Flush()
}

// embed writes a block as a script that no browser runs.
func (k *block) embed(w io.Writer) error {
	fmt.Fprintf(w, "<script type=\"application/octet-stream\" id=\"block-%s\">", k.name)
	text := base64.NewEncoder(base64.StdEncoding, w)
	packed, err := flate.NewWriter(text, k.level)
	if err != nil {
		return err
	}
	for _, do := range []func() error{func() error { return k.write(packed) }, packed.Close, text.Close} {
		if err := do(); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "</script>\n")
	return err
}
