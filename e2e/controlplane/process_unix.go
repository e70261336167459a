//go:build unix && !linux

package controlplane

import "syscall"

// dieWithParent puts a child into a process group of its own. Only Linux kills
// it when this process is killed.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
