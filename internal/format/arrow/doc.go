// Package arrow reads the files of Arrow, which are those of Feather, too: record
// batches between messages, compressed or not. The library decodes them; what sizes
// they claim is checked before.
package arrow
