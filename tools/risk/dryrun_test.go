package risk

import "testing"

// An option that makes a dry run of a command does so with the values that are known to:
// with another one, the command counts as it is.
func TestADryRunOfNoneIsNone(t *testing.T) {
	for _, command := range []string{"kubectl delete ns x", "kubectl drain n", "kubectl scale deploy/x --replicas=0"} {
		plain := Command(command, Bash)
		if dry := Command(command+" --dry-run=server", Bash); dry.Effect != Observe {
			t.Errorf("%s, a dry run: %s", command, dry.Effect)
		}
		for _, value := range []string{"none", "false", "$x"} {
			v := Command(command+" --dry-run="+value, Bash)
			if v.Auto || plain.Effect.AtLeast(v.Effect) && plain.Effect != v.Effect {
				t.Errorf("%s, %s: %s, automatic: %t; without it %s", command, value, v.Effect, v.Auto, plain.Effect)
			}
		}
	}
}
