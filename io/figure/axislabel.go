package figure

// String is the label of an axis: the quantity and its unit, as papers write them.
// Subscripts and superscripts are _{…} and ^{…}.
func (a Axis) String() string { return withUnit(a.Name, a.Unit) }
