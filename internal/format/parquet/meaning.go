package parquet

// Older names of what a column means, by their numbers.
const (
	convertedList    = 3
	convertedDecimal = 5 // whose scale and precision stand beside it
)

var present = &struct{}{}

// converted are the meanings of the older names, by their numbers. Times are in
// UTC.
var converted = map[int32]logicalType{
	0: {String: present}, convertedList: {List: present}, 4: {Enum: present}, 6: {Date: present},
	7:  {Time: &timeType{true, timeUnit{Millis: present}}},
	8:  {Time: &timeType{true, timeUnit{Micros: present}}},
	9:  {Timestamp: &timeType{true, timeUnit{Millis: present}}},
	10: {Timestamp: &timeType{true, timeUnit{Micros: present}}},
	11: {Integer: &integerType{8, false}}, 12: {Integer: &integerType{16, false}},
	13: {Integer: &integerType{32, false}}, 14: {Integer: &integerType{64, false}},
	15: {Integer: &integerType{8, true}}, 16: {Integer: &integerType{16, true}},
	17: {Integer: &integerType{32, true}}, 18: {Integer: &integerType{64, true}},
	19: {JSON: present}, 21: {Interval: present},
}

// means returns what an element means, by its newer or its older name.
func (e *schemaElement) means() logicalType {
	if m, err := decoded[logicalType](e.Logical); err == nil && m != (logicalType{}) {
		return m
	}
	if e.Converted == nil {
		return logicalType{}
	}
	if *e.Converted == convertedDecimal {
		return logicalType{Decimal: &decimalType{or(e.Scale), or(e.Precision)}}
	}
	return converted[*e.Converted]
}
