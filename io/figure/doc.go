// Package figure draws the figures of the toolkit as PNG, SVG and PDF: maps of
// clusters ([ClusterMap]), k-distance curves ([KDistance]) and points with
// error bars on logarithmic axes ([Points]).
//
// A figure is a plain struct of data; its Figure method lays it out and
// returns a [Figure], which is encoded or saved in any of the formats. One
// [Style] serves all of them; its zero value follows the habits of
// astronomical journals: DejaVu Sans of 8 points, 300 dots per inch, the width
// of one or two columns.
//
// Text is drawn as the outlines of its glyphs, so Greek letters, superscripts
// and the symbols of angle and Sun look the same in all formats and on all
// machines. The same data give the same bytes.
package figure
