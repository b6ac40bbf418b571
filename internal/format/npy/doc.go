// Package npy reads arrays of numpy: an array of a .npy file, and those of an .npz
// archive (numpy.lib.format, versions 1 to 3).
//
// A structured array is a table with its fields as columns; one of n × d numbers has d
// columns without names, one of n numbers has one. The arrays of an archive are
// columns with their names, those of n × d are columns of lists. Values come in
// streams of records of one width, so that archives need not be unpacked: an array by
// rows is one stream, one by columns (Fortran order) is a stream for each column.
// Objects of Python are not read, for that means to run what the file says.
package npy
