package explain

import corev1 "k8s.io/api/core/v1"

// command is how a fix is carried out.
type command struct {
	line      string // runs unattended under bash -c; "" where there is none
	undo      string // takes all of it back; "" where nothing can
	recreates bool   // the pod, or its Job, is deleted and created again
	affects   []Affected
	brief     string // whom the change of the pod affects, in few words; "" for nobody
	why       string // why there is no line
}

// command words the steps of a fix for the shell.
func (e *Engine) command(_ *corev1.Pod, _ []remedy) command {
	return command{why: "no command carries it out"}
}
