package terminal

import (
	"fmt"
	"os"
)

// OpenKeyboard opens the terminal to read keys from it where standard input is something
// else. The caller closes it.
func OpenKeyboard() (*os.File, error) {
	file, err := keyboard()
	if err != nil {
		return nil, fmt.Errorf("open terminal: %w", err)
	}
	return file, nil
}
