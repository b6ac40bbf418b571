//go:build !amd64 || amd64.v3

package figure

const exactRounding = false
