// Package drawn makes the figures that a command draws of its answer, and 'cluster plot'
// draws again of the table that the command wrote.
package drawn
