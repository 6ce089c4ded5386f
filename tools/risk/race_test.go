//go:build race

package risk

const raced = true
