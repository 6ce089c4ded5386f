package risk

// carried are programs that hold other clients as sub-commands: "k3s kubectl get pods" is
// "kubectl get pods" with the settings of its own cluster.
var carried = map[string]map[string]bool{
	"k3s":      set(`kubectl`),
	"k0s":      set(`kubectl`),
	"microk8s": set(`kubectl helm`),
}

// carriedClient is the command of a client that another program holds; nil if this is none.
func carriedClient(base string, words []word) []word {
	if len(words) < 2 || !carried[base][words[1].text] {
		return nil
	}
	client, args := words[1], words[2:]
	client.start = words[0].start
	if len(args) > 0 && args[0].text == "--" { // some take their own options before it
		args = args[1:]
	}
	return append([]word{client}, args...)
}
