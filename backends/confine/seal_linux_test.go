//go:build linux && (amd64 || arm64)

package confine

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sealedEnv makes the test binary a process that seals itself and tries things.
const sealedEnv = "NOD_TEST_SEALED"

// TestSealedProcess is the process that [TestASealedProcessCanOnlyCompute] starts.
func TestSealedProcess(t *testing.T) {
	file := os.Getenv(sealedEnv)
	if file == "" {
		t.Skip("only started by another test")
	}
	if err := Seal(Bounds{}); err != nil {
		fmt.Println("seal:", err)
		return
	}
	try := func(what string, f func() error) { fmt.Printf("%s: %v\n", what, f()) }
	try("open", func() error { _, err := os.ReadFile(file); return err })
	try("write", func() error { return os.WriteFile(file+".new", nil, 0o600) })
	try("connect", func() error { _, err := net.DialTimeout("tcp", "127.0.0.1:9", time.Hour); return err })
	try("run", func() error { return exec.Command("/bin/true").Run() })
	try("signal", func() error { return syscall.Kill(os.Getppid(), syscall.SIGCONT) })
	done := make(chan int)
	for i := range 8 {
		go func() { done <- i }()
	}
	sum := 0
	for range 8 {
		sum += <-done
	}
	fmt.Printf("computed %d\n", sum)
	os.Exit(0)
}

func TestASealedProcessCanOnlyCompute(t *testing.T) {
	file := t.TempDir() + "/key"
	if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(os.Args[0], "-test.run=^TestSealedProcess$") //nolint:gosec // this test
	c.Env = append(os.Environ(), sealedEnv+"="+file)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, what := range []string{"open", "write", "connect", "run", "signal"} {
		_, after, _ := strings.Cut(string(out), what+": ")
		if line, _, _ := strings.Cut(after, "\n"); !strings.Contains(line, "operation not permitted") {
			t.Errorf("%s: %q", what, line)
		}
	}
	if !strings.Contains(string(out), "computed 28") {
		t.Errorf("it cannot compute: %s", out)
	}
	if _, err := os.Stat(file + ".new"); err == nil {
		t.Error("it has written")
	}
}
