package terminal

import "syscall"

// leaderAttr makes a session's leader, which the kernel kills when this
// process ends; the program below it then gets SIGHUP.
func leaderAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Setctty: true, Pdeathsig: syscall.SIGKILL}
}
