package controlplane

import "syscall"

// dieWithParent puts a child into a process group of its own, out of reach of
// the terminal's ctrl-c, and has the kernel kill it when this process ends.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
