package catalog

// text returns the value of row i as info prints it, "" for null.
func (c *Column) text(i int) string {
	r := c.raw()
	return r.Text(i)
}

// append adds the rows of another column of the same type.
func (c *Column) append(more *Column) {
	r, m := c.raw(), more.raw()
	r.Append(&m)
	*c = publicColumn(r)
}
