//go:build unix

package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ordinaryLogs makes n bytes of what servers log, full of what looks random but
// is no secret.
func ordinaryLogs(n int, random *rand.Rand) string {
	bytesOf := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	hexOf := func(n int) string { return hex.EncodeToString(bytesOf(n)) }
	b64 := func(n int) string { return base64.StdEncoding.EncodeToString(bytesOf(n)) }
	uuid := func() string {
		h := hexOf(16)
		return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
	}
	ip := func() string {
		return fmt.Sprintf("%d.%d.%d.%d", random.IntN(256), random.IntN(256), random.IntN(256), random.IntN(256))
	}
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	stamp := func() string {
		return fmt.Sprintf("2026-%02d-%02dT%02d:%02d:%02d.%06dZ", 1+random.IntN(12), 1+random.IntN(28), random.IntN(24), random.IntN(60), random.IntN(60), random.IntN(1e6))
	}
	user := func() string { return pick("root", "deploy", "alice", "www-data", "postgres", "nobody") }
	lines := []func() string{
		func() string {
			return fmt.Sprintf("Nov 21 10:%02d:%02d web-%d sshd[%d]: %s password for %s from %s port %d ssh2", random.IntN(60), random.IntN(60), random.IntN(9), random.IntN(65536), pick("Failed", "Accepted"), user(), ip(), random.IntN(65536))
		},
		func() string {
			return fmt.Sprintf("sshd[%d]: Accepted publickey for %s from %s port %d ssh2: ED25519 SHA256:%s", random.IntN(65536), user(), ip(), random.IntN(65536), strings.TrimRight(b64(32), "="))
		},
		func() string {
			return fmt.Sprintf(`%s - %s [21/Nov/2026:10:11:12 +0000] "GET /api/v1/items/%s?page=%d&sort=asc HTTP/1.1" 200 %d "https://app.example.com/items/%s" "Mozilla/5.0 (X11; Linux x86_64)" rt=0.%03d`, ip(), user(), uuid(), random.IntN(99), random.IntN(99999), hexOf(8), random.IntN(999))
		},
		func() string {
			return fmt.Sprintf(`{"time":"%s","level":"%s","trace_id":"%s","span_id":"%s","msg":"%s","digest":"sha256:%s","bytes":%d}`, stamp(), pick("info", "warn", "error"), hexOf(16), hexOf(8), pick("request done", "invalid token: signature mismatch", "password changed for user", "secret web-tls mounted", "authorization denied", "token expired"), hexOf(32), random.IntN(1e6))
		},
		func() string {
			return fmt.Sprintf("commit %s\nAuthor: A. Person <a.person@example.com>\nDate:   Mon Nov 21 10:00:00 2026 +0000\n\n    fix: password field, token refresh, api key docs (#%d)", hexOf(20), random.IntN(9999))
		},
		func() string {
			return fmt.Sprintf("kernel: [%d.%06d] eth0: renamed from veth%s, link becomes ready %02x:%02x:%02x:%02x:%02x:%02x", random.IntN(99999), random.IntN(1e6), hexOf(3), random.IntN(256), random.IntN(256), random.IntN(256), random.IntN(256), random.IntN(256), random.IntN(256))
		},
		func() string {
			return fmt.Sprintf("%s systemd[1]: Started session-%d.scope - Session %d of User %s.", stamp(), random.IntN(9999), random.IntN(9999), user())
		},
		func() string {
			return fmt.Sprintf("%s containerd[%d]: time=%q level=info msg=\"starting container\" id=%s namespace=k8s.io image=registry.example.com/team/app@sha256:%s", stamp(), random.IntN(9999), stamp(), hexOf(32), hexOf(32))
		},
		func() string {
			return fmt.Sprintf("data=%s etag=\"%s\" content-md5: %s", b64(48), hexOf(16), b64(16))
		},
		func() string {
			return fmt.Sprintf(`"integrity": "sha512-%s", "resolved": "https://registry.npmjs.org/pkg-%d/-/pkg-%d.tgz"`, b64(64), random.IntN(999), random.IntN(999))
		},
		func() string {
			return fmt.Sprintf("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI%s user@host-%d", strings.TrimRight(b64(32), "="), random.IntN(99))
		},
		func() string {
			return fmt.Sprintf("kubelet[%d]: E1121 10:00:00.%06d %d secret.go:%d] Couldn't get secret %s/%s-token-%s: secret \"%s-tls\" not found", random.IntN(9999), random.IntN(1e6), random.IntN(99999), random.IntN(500), pick("default", "kube-system"), pick("web", "api"), hexOf(3)[:5], pick("web", "api"))
		},
		func() string {
			return fmt.Sprintf("pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=%s  user=%s", ip(), user())
		},
		func() string {
			return fmt.Sprintf("%s postgres[%d]: LOG: connection authorized: user=%s database=app_%d SSL enabled (protocol=TLSv1.3, cipher=TLS_AES_256_GCM_SHA384, bits=256)", stamp(), random.IntN(9999), user(), random.IntN(9))
		},
		func() string {
			return fmt.Sprintf("-rw-r--r-- 1 %s %s %8d Nov 21 10:%02d /srv/app/releases/%s/config/secret_token.rb", user(), user(), random.IntN(1e7), random.IntN(60), hexOf(10))
		},
		func() string {
			return fmt.Sprintf("usage: prompt_tokens=%d completion_tokens=%d max_tokens: %d next_token=%s", random.IntN(9999), random.IntN(9999), random.IntN(9999), b64(24))
		},
		func() string {
			return fmt.Sprintf("%s  %s  /usr/lib/x86_64-linux-gnu/libpam%d.so", hexOf(32), pick("OK", "FAILED"), random.IntN(9))
		},
		func() string {
			return fmt.Sprintf("2001:db8:%x:%x::%x -> fe80::%x%%eth0 seq=%d ack=%d win=%d", random.IntN(65536), random.IntN(65536), random.IntN(65536), random.IntN(65536), random.Uint32(), random.Uint32(), random.IntN(65536))
		},
		func() string {
			return fmt.Sprintf("%s ansible: TASK [set the password of %s] ok: [web-%d] => changed=%v, no_log: true", stamp(), user(), random.IntN(9), random.IntN(2) == 0)
		},
		func() string {
			return fmt.Sprintf("-----BEGIN CERTIFICATE-----\n%s\n%s\n-----END CERTIFICATE-----", b64(48), b64(30))
		},
		func() string {
			return fmt.Sprintf("audit: type=USER_AUTH msg=audit(%d.%03d:%d): pid=%d uid=0 auid=%d ses=%d msg='op=PAM:authentication grantors=pam_unix acct=%q exe=\"/usr/bin/sudo\" res=success'", random.Uint32(), random.IntN(1000), random.IntN(99999), random.IntN(65536), random.Uint32(), random.IntN(99), user())
		},
		func() string { return b64(57) },
		func() string {
			return fmt.Sprintf("[%s] \x1b[3%dm%s\x1b[0m request_id=%s session closed for user %s; key=%s", stamp(), random.IntN(8), pick("INFO", "WARN", "ERROR"), uuid(), user(), hexOf(4))
		},
	}
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(lines[random.IntN(len(lines))]())
		b.WriteByte('\n')
	}
	return b.String()
}

// TestOrdinaryLogsHaveNoSecrets looks at 16 MB with NOD_E2E=1, and else at two.
func TestOrdinaryLogsHaveNoSecrets(t *testing.T) {
	size := 2 << 20
	if os.Getenv("NOD_E2E") == "1" {
		size = 16 << 20
	}
	logs := ordinaryLogs(size, rand.New(rand.NewPCG(7, 7)))
	k := newKeeper(t)
	hits := 0
	s := k.detector.Stream(func(kind string, secret []byte) string {
		if hits++; hits <= 20 {
			t.Errorf("%s: %q", kind, secret)
		}
		return Hidden
	})
	out := s.Push([]byte(logs))
	if hits > 0 || string(out)+string(s.Flush()) != logs {
		t.Errorf("%d hits in %d MB", hits, len(logs)>>20)
	}
}

func benchmark(b *testing.B, text string, size int, known bool) {
	k := newKeeper(b)
	v := k.Vault("c")
	if known {
		for i := range 100 {
			v.Text(fmt.Sprintf("password=Secret%08dx\n", i))
		}
	}
	s := v.Stream()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		for p := []byte(text); len(p) > 0; {
			n := min(size, len(p))
			s.Push(p[:n])
			p = p[n:]
		}
		s.Flush()
	}
	// On a machine that has other things to do, the clock says little.
	took := processorTime(b) - before
	b.ReportMetric(float64(b.N)*float64(len(text))/1e6/took.Seconds(), "MB/cpu-s")
}

func processorTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkLogs is ordinary output; the others are worse.
func BenchmarkLogs(b *testing.B) {
	logs := ordinaryLogs(4<<20, rand.New(rand.NewPCG(7, 7)))
	for _, size := range []int{256, 4 << 10, 32 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) { benchmark(b, logs, size, false) })
	}
	b.Run("known", func(b *testing.B) { benchmark(b, logs, 32<<10, true) })
	b.Run("long lines", func(b *testing.B) { benchmark(b, strings.ReplaceAll(logs, "\n", " "), 32<<10, false) })
	b.Run("colours", func(b *testing.B) {
		benchmark(b, strings.ReplaceAll(logs, " ", " \x1b[1m"), 32<<10, false)
	})
}

func BenchmarkSecrets(b *testing.B) { benchmark(b, strings.Repeat(samples(b), 20), 32<<10, false) }

// BenchmarkLearn is how long it takes a conversation to learn its secrets: as many as
// a vault remembers, each a key of many lines. One of four times as many must not take
// much longer than four times as long.
func BenchmarkLearn(b *testing.B) {
	for _, n := range []int{maxKnown / 4, maxKnown} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			random := rand.New(rand.NewPCG(3, 3))
			var texts []string
			for range n {
				var key strings.Builder
				key.WriteString("-----BEGIN RSA PRIVATE KEY-----\n")
				for range 25 {
					line := make([]byte, 48)
					for i := range line {
						line[i] = byte(random.Uint32())
					}
					key.WriteString(base64.StdEncoding.EncodeToString(line) + "\n")
				}
				key.WriteString("-----END RSA PRIVATE KEY-----\n")
				texts = append(texts, key.String())
			}
			for b.Loop() {
				v := newKeeper(b).Vault("c")
				for _, text := range texts {
					v.Text(text)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/secret")
		})
	}
}
