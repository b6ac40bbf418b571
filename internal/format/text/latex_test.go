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

// A mark above the point of a number is the point, and its unit; commands between
// digits that are not known are refused, not left out.
func TestLaTeXMarks(t *testing.T) {
	for _, c := range []struct{ text, want, units string }{
		{`\begin{deluxetable}{lcc}
\tablehead{\colhead{name} & \colhead{RA} & \colhead{v}}
\startdata
M31 & 00 42 4\fs5 & 1\fdg25 \\
M33 & $00^{\rm h}42^{\rm m}4\fs3$ & $-2\fdg$50 \\
\enddata
\end{deluxetable}`, "\nname,RA,v\n\nM31,00 42 4.5s,1.25\nM33,00h42m4.3s,-2.50\n", "||deg"},
		{`\begin{tabular}{lllll}
n & Dec & size & p & h \\
1 & $-00\arcdeg30\arcmin1\farcs5$ & 1\farcm5 & 0\fp25 & 4\fh5 \\
2 & 1\degr30\arcmin05\farcs{5} & 30\farcs 5 & 0\fp5 & \ldots \tabularnewline
\end{tabular}`, "\nn,Dec,size,p,h\n1,\"-00°30'1.5\"\"\",1.5',0.25,4.5h\n2,\"1°30'05.5\"\"\",\"30.5\"\"\",0.5,\n", ""},
		{`\begin{tabular}{ll}
r & s \\
arcsec & (deg) \\
1\farcs5 & $\leq3\times5$ \\
\end{tabular}`, "\nr,s\narcsec,(deg)\n1.5,≤3×5\n", ""},
	} {
		got, units, err := latexCSV(c.text)
		if got != c.want || strings.Join(units, "|") != c.units || err != nil {
			t.Errorf("%q, units %q, %v; want %q, %q", got, units, err, c.want, c.units)
		}
	}
	// Among texts of angles a number keeps its mark: it is one of them.
	mixed := "\\begin{tabular}{l}\nDec \\\\\n$-00\\arcdeg30\\arcmin1$ \\\\\n1\\fdg25\n\\end{tabular}"
	if got, _, err := latexCSV(mixed); got != "\nDec\n-00°30'1\n1.25°\n" || err != nil {
		t.Errorf("texts and a number are %q, %v", got, err)
	}
	for _, cell := range []string{`1\xyz25`, `00\hh 42`, `$3$\foo$5$`, `1\nodata5`} {
		if got, _, err := latexCSV("\\begin{tabular}{l}\na \\\\\n" + cell + "\n\\end{tabular}"); err == nil || !strings.Contains(err.Error(), "line 3: ") {
			t.Errorf("%s is read as %q, %v", cell, got, err)
		}
	}
}
