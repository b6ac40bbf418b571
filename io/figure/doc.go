// Package figure draws the figures of the toolkit as PNG, SVG and PDF.
//
// There are maps of clusters, of a field or of the whole sky ([ClusterMap]), several
// of them side by side ([ClusterPanels]), k-distance curves ([KDistance]), measurements
// with error bars ([Points]) and with their ratio to a reference ([Ratio]), histograms
// of pairs ([Histogram]), values for pairs of bins ([HeatMap], [CorrelationMatrix]),
// cross-validated scores ([ScoreCurve]), confusion matrices ([ConfusionMatrix]),
// several quantities over one ([Curves]) and timelines of workers ([Timeline]).
//
// Each is a plain struct of data. Its Figure method lays it out and returns a
// [Figure], which is encoded or saved in any of the formats. A [Style] sets the size
// and the look; its zero value follows the habits of astronomical journals: DejaVu
// Sans of 8 points, 300 dots per inch, the width of one or two columns.
//
// Text of SVG and PDF is text, in a font within the file that has the letters in use;
// Greek letters, superscripts and the symbols of angle and Sun look the same in all
// formats and on all machines. A figure says what it is and how it was made ([Info]).
// The same data give the same bytes.
package figure
