package format

// ReadersOf returns the readers of the files of an *io/catalog.Catalog, which
// sets it: for io/table, which copies files as they are, and for no one else.
var ReadersOf func(catalog any) []Reader
