package mock

import "testing"

const blockRows = 1 << 14

func BenchmarkFill(b *testing.B) {
	for _, k := range Kinds() {
		b.Run(k.Name, func(b *testing.B) {
			c, err := New(k.Name, Options{Rows: blockRows})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				c.Fill(0, blockRows)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/blockRows, "ns/row")
		})
	}
}
