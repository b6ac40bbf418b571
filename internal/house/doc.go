// Package house holds the tests that keep the house in order: which room may
// import which, and what only one room may touch.
package house
