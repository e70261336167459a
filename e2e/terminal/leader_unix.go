//go:build unix && !linux

package terminal

import "syscall"

// leaderAttr makes a session's leader.
func leaderAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Setctty: true}
}
