//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

func vector() []*Funcs {
	x := &cpu.X86
	var all []*Funcs
	if x.HasAVX2 && x.HasBMI1 && x.HasBMI2 && x.HasPOPCNT {
		all = append(all, &funcsAVX2)
		if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL {
			all = append(all, &funcsAVX512)
		}
	}
	return all
}
