//go:build !windows

package terminal

import "os"

// keyboard is the terminal that controls the process.
func keyboard() (*os.File, error) { return os.Open("/dev/tty") }
