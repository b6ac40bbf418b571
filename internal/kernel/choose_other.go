//go:build !amd64 || purego

package kernel

func vector() []*Funcs { return nil }
