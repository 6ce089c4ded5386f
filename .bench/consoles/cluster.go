package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

type object = map[string]any

// pods is how many pods the cluster has.
const pods = 50

// cluster is for k9s: an API server on the loopback interface with one node and one
// namespace of pods, which never change. It allows everything and serves until this
// program ends.
func cluster(home string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for k9s: %w", err)
	}
	s := &http.Server{Handler: http.HandlerFunc(api), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(l) }() // until the end of this program
	return write(home, "kubeconfig", fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: bench
clusters: [{name: bench, cluster: {server: "http://%s"}}]
contexts: [{name: bench, context: {cluster: bench, user: bench, namespace: default}}]
users: [{name: bench, user: {}}]
`, l.Addr()))
}

// api answers what k9s asks; what it does not know is not found.
func api(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("watch") != "" {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush() // or nobody is there any more
		<-r.Context().Done()                      // nothing ever happens
		return
	}
	status, answer := http.StatusOK, object(nil)
	switch resource := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]; resource {
	case "version":
		answer = object{"major": "1", "minor": "33", "gitVersion": "v1.33.0", "platform": "linux/amd64"}
	case "api":
		answer = object{"kind": "APIVersions", "versions": []string{"v1"}}
	case "apis":
		answer = object{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{}}
	case "v1":
		answer = object{"kind": "APIResourceList", "groupVersion": "v1", "resources": []any{
			described("pods", "Pod", true, "po"), described("namespaces", "Namespace", false, "ns"), described("nodes", "Node", false, "no"),
		}}
	case "selfsubjectaccessreviews":
		status = http.StatusCreated
		answer = object{"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "status": object{"allowed": true}}
	case "pods":
		answer = listed("PodList", pods, pod)
	case "namespaces":
		answer = listed("NamespaceList", 1, func(int) object {
			return object{"metadata": meta("default"), "status": object{"phase": "Active"}}
		})
	case "nodes":
		answer = listed("NodeList", 1, func(int) object { return object{"metadata": meta("node-1"), "status": object{}} })
	case "default":
		answer = object{"kind": "Namespace", "apiVersion": "v1", "metadata": meta("default"), "status": object{"phase": "Active"}}
	default:
		status = http.StatusNotFound
		answer = object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": status}
	}
	if strings.Contains(r.Header.Get("Accept"), "as=Table") && strings.HasSuffix(r.URL.Path, "/pods") {
		answer = table(answer["items"].([]any))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // or nobody is there any more
}

func described(name, kind string, namespaced bool, short string) object {
	return object{
		"name": name, "singularName": strings.ToLower(kind), "kind": kind, "namespaced": namespaced,
		"verbs": []string{"get", "list", "watch", "delete"}, "shortNames": []string{short},
	}
}

func listed(kind string, n int, item func(i int) object) object {
	items := make([]any, n)
	for i := range items {
		items[i] = item(i + 1)
	}
	return object{"kind": kind, "apiVersion": "v1", "metadata": object{"resourceVersion": "1"}, "items": items}
}

func meta(name string) object {
	return object{"name": name, "uid": name, "resourceVersion": "1", "creationTimestamp": "2020-01-01T00:00:00Z"}
}

func pod(i int) object {
	m := meta(fmt.Sprintf("pod-%02d", i))
	m["namespace"] = "default"
	return object{
		"kind": "Pod", "apiVersion": "v1", "metadata": m,
		"spec": object{"nodeName": "node-1", "containers": []any{object{"name": "main", "image": "image:1"}}},
		"status": object{"phase": "Running", "podIP": fmt.Sprintf("10.0.0.%d", i), "containerStatuses": []any{
			object{"name": "main", "ready": true, "restartCount": 0, "state": object{"running": object{}}},
		}},
	}
}

// table is a list of pods as the server prints it.
func table(items []any) object {
	var columns, lines []any
	for _, name := range []string{"Name", "Ready", "Status", "Restarts", "Age", "IP", "Node", "Nominated Node", "Readiness Gates"} {
		columns = append(columns, object{"name": name, "type": "string"})
	}
	for i, item := range items {
		lines = append(lines, object{
			"cells":  []any{fmt.Sprintf("pod-%02d", i+1), "1/1", "Running", "0", "5y", fmt.Sprintf("10.0.0.%d", i+1), "node-1", "<none>", "<none>"},
			"object": item,
		})
	}
	return object{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": object{"resourceVersion": "1"}, "columnDefinitions": columns, "rows": lines}
}
