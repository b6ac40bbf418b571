// Package text reads and writes delimited text: CSV, ECSV and ARFF. Text that
// declares no types has them found from its values.
package text
