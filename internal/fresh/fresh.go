// Package fresh hastens the first use of large memory.
//
// The system gives a program its pages one by one, when each is first written
// to. Where a join writes hundreds of megabytes once, a third of what that costs
// is saved by asking for many pages at a time, just before they are written.
package fresh

// Piece is the number of bytes that are asked for at a time. They fit the cache,
// so that pages which the system has cleared are still there when written.
const Piece = 1 << 18
