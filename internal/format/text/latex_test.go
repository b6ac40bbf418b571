package text

import (
	"strings"
	"testing"
)

// Rows of tables as papers have them say what is typeset; each stays in its line.
func TestLaTeXAsCSV(t *testing.T) {
	for _, c := range []struct{ text, want, units string }{
		{`\begin{table}
\caption{Stars \& more}
\begin{tabular}{l|rr} \hline\hline
Name & RA & $\sigma$ \\
     & (deg) & km\,s$^{-1}$ \\ \hline
% a comment
NGC~104 & $-$10.5 & 1.5\times10^{-3} \\[2pt]
\textit{M\,31} & 3 & \ldots \\ \midrule
\multicolumn{2}{c}{both} & 12.5 $\pm$ 0.3
\end{tabular}
`, "\n\n\nName,RA,σ\n,(deg),km s-1\n\nNGC 104,-10.5,1.5e-3\nM 31,3,\nboth,,12.5 ± 0.3\n", ""},
		{`\begin{deluxetable*}{cc}[ht]
\tablewidth{0pt}
\tablehead{
\colhead{Star\tablenotemark{a}} & \colhead{$V$} \\
\colhead{} & \colhead{(mag)}
}
\startdata
A\_1 & \phn9.5 \\
B \$ \{x\} & \nodata
\enddata
\tablenotetext{a}{note & more \\}
\end{deluxetable*}
`, "\n\n\nStar,V\n\n\n\nA_1,9.5\nB $ {x},\n", "|mag"},
	} {
		got, units, err := latexCSV(c.text)
		if got != c.want || strings.Join(units, "|") != c.units || err != nil {
			t.Errorf("%q, units %q, %v; want %q, %q", got, units, err, c.want, c.units)
		}
	}
	for _, text := range []string{`\begin{tabular}`, `\begin{tabular}[`, `\begin{tabular}{`, `\begin{deluxetable}{c}\tablehead{`, `\begin{tabular}{c}{{{`, `\begin{tabular}{c}a & \`, `\begin{deluxetable}[`, `\multicolumn{9999}{c}{x}`, `\begin{tabular}[t{l}a & \multicolumn{999}{c}{x} \\`} {
		if got, _, err := latexCSV(text); err == nil && strings.Count(got, ",") > 2000 {
			t.Errorf("%q is %q", text, got)
		}
	}
}
