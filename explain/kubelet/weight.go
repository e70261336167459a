package kubelet

import "math"

// The bounds of pkg/kubelet/cm/helpers_linux.go: cpu.shares as the kernel takes them, and
// the period of a CPU quota with the least quota in it, in microseconds.
const (
	leastShares = 2
	mostShares  = 262144
	sharesOfCPU = 1024
	mostWeight  = 10000
	quotaPeriod = 100_000
	leastQuota  = 1000
)

// Shares are the cpu.shares of a request of so many thousandths of a CPU
// (MilliCPUToShares).
func Shares(milliCPU int64) int64 {
	return min(max(milliCPU*sharesOfCPU/milli, leastShares), mostShares)
}

// Quota is how many microseconds of each 100 ms a limit of so many thousandths of a CPU
// allows; 0 is no limit (MilliCPUToQuota).
func Quota(milliCPU int64) int64 {
	if milliCPU == 0 {
		return 0
	}
	return max(milliCPU*quotaPeriod/milli, leastQuota)
}

// Weight is the cpu.weight of cpu.shares as the kubelet writes it, and as runc before 1.3.2
// and crun before 1.23 do (getCPUWeight in pkg/kubelet/cm/cgroup_manager_linux.go).
func Weight(shares int64) int64 {
	return 1 + (shares-leastShares)*(mostWeight-1)/(mostShares-leastShares)
}

// NewerWeight is the cpu.weight of cpu.shares as runc from 1.3.2 and crun from 1.23 write
// it: of 2, 1024 and 262144 shares it makes 1, 100 and 10000 (ConvertCPUSharesToCgroupV2Value
// in github.com/opencontainers/cgroups).
func NewerWeight(shares int64) int64 {
	switch {
	case shares <= leastShares:
		return 1
	case shares >= mostShares:
		return mostWeight
	}
	// 10 to the power of a polynomial of second degree in log2 of the shares.
	const square, linear, divisor, constant = 1, 125, 612, 7.0 / 34
	log := math.Log2(float64(shares))
	return int64(math.Ceil(math.Pow(10, (square*log*log+linear*log)/divisor-constant)))
}
