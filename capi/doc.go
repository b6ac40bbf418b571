// Capi is the C library of skyjoin: what skyjoin.h declares, over the Go packages.
//
// It has no algorithm and reads no files. Points and jobs are numbers in a map;
// arrays of the caller are read where they are and filled in place.
//
//	go build -buildmode=c-shared -o libskyjoin.so ./capi
package main

func main() {}
