package catalog

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"skyjoin/internal/format"
)

// HATS partitions a catalog by HEALPix pixels into Parquet files
// dataset/Norder=…/Dir=…/Npix=….parquet (or folders of them), with a properties
// file that says what the folder contains. A collection is a folder with one
// catalog and the products made from it: margin caches, which repeat rows near
// the borders of pixels, and indexes. Only the catalog has every row exactly once.

// hatsProperties reads the first of the named properties files that the folder
// has; nil if it has none.
func hatsProperties(root fs.FS, dir string, names ...string) (map[string]string, error) {
	for _, n := range names {
		text, err := fs.ReadFile(root, path.Join(dir, n))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		props := map[string]string{}
		for line := range strings.Lines(string(text)) {
			key, value, ok := strings.Cut(line, "=")
			if ok && !strings.HasPrefix(line, "#") {
				props[strings.TrimSpace(key)] = strings.TrimSpace(value)
			}
		}
		return props, nil
	}
	return nil, nil
}

// derivedProducts are the types of HATS catalogs that repeat rows of others.
var derivedProducts = []string{"margin", "index", "association", "map"}

// hatsFolder says which part of a folder contains rows: nothing if skip is true,
// only the named subfolder if only is not empty, otherwise everything.
func hatsFolder(root fs.FS, dir string) (skip bool, only string, err error) {
	props, err := hatsProperties(root, dir, "collection.properties")
	if err != nil {
		return false, "", err
	}
	if only = props["hats_primary_table_url"]; props != nil && only != "" {
		if !fs.ValidPath(only) || strings.Contains(only, "/") || only == "." {
			return false, "", fmt.Errorf("the primary table of the collection, %s, is elsewhere; name its folder", only)
		}
		return false, only, nil
	}
	props, err = hatsProperties(root, dir, "hats.properties", "properties")
	if err != nil {
		return false, "", err
	}
	if dir != "." && slices.Contains(derivedProducts, props["dataproduct_type"]) {
		return true, "", nil
	}
	return false, "", hatsComplete(root, dir, props)
}

// hatsComplete returns an error if a partition listed in partition_info.csv is
// missing: rows must not be lost because a download was cut short.
func hatsComplete(root fs.FS, dir string, props map[string]string) error {
	if props["dataproduct_type"] == "" || props["dataproduct_type"] == "index" {
		return nil
	}
	text, err := fs.ReadFile(root, path.Join(dir, "partition_info.csv"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		return fmt.Errorf("partition_info.csv is damaged")
	}
	order, pixel := slices.Index(rows[0], "Norder"), slices.Index(rows[0], "Npix")
	if order < 0 || pixel < 0 {
		return nil // of another version
	}
	suffix := props["hats_npix_suffix"]
	if suffix == "" {
		suffix = ".parquet"
	}
	for _, r := range rows[1:] {
		n, err := strconv.ParseInt(r[pixel], 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("partition_info.csv has the cell Npix %q", r[pixel])
		}
		k, err := strconv.ParseUint(r[order], 10, 8)
		if err != nil {
			return fmt.Errorf("partition_info.csv has the cell Norder %q", r[order])
		}
		name := fmt.Sprintf("dataset/Norder=%d/Dir=%d/Npix=%d%s", k, n/10000*10000, n, strings.TrimSuffix(suffix, "/"))
		if _, err := fs.Stat(root, path.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			return format.Mark(fmt.Errorf("the partition %s, which partition_info.csv names, is missing", name), fs.ErrNotExist)
		}
	}
	return nil
}
