package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	kibibyte = 1 << 10
	ticks    = 100 // of the clock in /proc, a second
)

// command is a program with a plain environment, which ends with this one.
func command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// environment has no settings of the machine's user but those of the collector.
func environment() []string {
	home := filepath.Join(os.TempDir(), "fathom-scale-home")
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "KUBECONFIG=" + filepath.Join(home, "none")}
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// resident is the memory that a process holds, and the most that it held, in bytes.
func resident(pid int) (now, peak uint64, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, fmt.Errorf("read the memory of process %d: %w", pid, err)
	}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "VmRSS:" && fields[0] != "VmHWM:" {
			continue
		}
		size, err := strconv.ParseUint(fields[1], 10, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("read the memory of process %d: %w", pid, err)
		}
		if fields[0] == "VmRSS:" {
			now = size * kibibyte
		} else {
			peak = size * kibibyte
		}
	}
	return now, peak, nil
}

// cpuTime is how long a process has run on a processor.
func cpuTime(pid int) (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("read the time of process %d: %w", pid, err)
	}
	_, rest, _ := bytes.Cut(data, []byte(") ")) // a name may hold spaces
	fields := strings.Fields(string(rest))
	const user, system = 11, 12 // utime and stime are the 14th and 15th field of proc(5)
	if len(fields) <= system {
		return 0, fmt.Errorf("read the time of process %d: %q", pid, data)
	}
	var sum int
	for _, field := range fields[user : system+1] {
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, fmt.Errorf("read the time of process %d: %w", pid, err)
		}
		sum += n
	}
	return time.Duration(sum) * time.Second / ticks, nil
}

// share is the part of a processor that a process takes for a while.
func share(ctx context.Context, pid int, d time.Duration) (float64, error) {
	before, err := cpuTime(pid)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(d):
	}
	after, err := cpuTime(pid)
	if err != nil {
		return 0, err
	}
	return float64(after-before) / float64(time.Since(began)), nil
}

// oneShot is what a command took.
type oneShot struct {
	seconds float64
	peak    uint64 // resident bytes
}

// runOnce runs fathom to its end. Exit codes 0 and 1 are answers.
func runOnce(ctx context.Context, binary string, args ...string) (oneShot, error) {
	cmd := command(ctx, binary, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began).Seconds()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 || cmd.ProcessState.ExitCode() > 1 {
		return oneShot{}, fmt.Errorf("run %s %s: %w: %s", binary, strings.Join(args, " "), err, stderr.String())
	}
	peak := uint64(0)
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = uint64(usage.Maxrss) * kibibyte
	}
	return oneShot{took, peak}, nil
}
