package cluster

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/kubectl-fathom/kubectl-fathom/model"
)

// usagePause is between two readings: metrics-server measures every 15 s.
const usagePause = 15 * time.Second

// meter reads metrics while somebody looks at them.
type meter struct {
	clock   clock.WithTicker
	wanted  chan bool     // capacity one: the newest request
	changed chan struct{} // holds one: a reading came

	mu    sync.Mutex
	usage *model.Usage
	note  string
}

// newMeter makes a meter that is off.
func newMeter(c clock.WithTicker) *meter {
	return &meter{clock: c, wanted: make(chan bool, 1), changed: make(chan struct{}, 1)}
}

// turn switches the meter on or off.
func (m *meter) turn(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.wanted:
	default:
	}
	m.wanted <- on
}

// run reads at once when it is switched on, and then every usagePause.
func (m *meter) run(ctx context.Context, measure func(context.Context) (*model.Usage, error)) {
	var ticker clock.Ticker
	var ticks <-chan time.Time
	stop := func() {
		if ticker != nil {
			ticker.Stop()
		}
		ticker, ticks = nil, nil
	}
	defer stop()
	for {
		select {
		case <-ctx.Done():
			return
		case on := <-m.wanted:
			if on == (ticker != nil) {
				continue
			}
			if !on {
				stop()
				m.keep(nil, "")
				continue
			}
			ticker = m.clock.NewTicker(usagePause)
			ticks = ticker.C()
		case <-ticks:
		}
		m.read(ctx, measure)
	}
}

// read takes one reading. A failed one keeps no figures: old ones would pass for new.
func (m *meter) read(ctx context.Context, measure func(context.Context) (*model.Usage, error)) {
	ctx, cancel := context.WithTimeout(ctx, usagePause)
	defer cancel()
	usage, err := measure(ctx)
	if err != nil {
		m.keep(nil, err.Error())
		return
	}
	m.keep(usage, "")
}

// keep stores a reading and wakes the folding goroutine.
func (m *meter) keep(usage *model.Usage, note string) {
	m.mu.Lock()
	m.usage, m.note = usage, note
	m.mu.Unlock()
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// last is the newest reading, or why there is none.
func (m *meter) last() (*model.Usage, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usage, m.note
}
