package terminal

import "os"

// keyboard is the console's input.
func keyboard() (*os.File, error) { return os.OpenFile("CONIN$", os.O_RDWR, 0) }
