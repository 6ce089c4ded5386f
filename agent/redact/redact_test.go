package redact

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newKeeper(t testing.TB, own ...Pattern) *Keeper {
	t.Helper()
	d, err := NewDetector(own...)
	if err != nil {
		t.Fatal(err)
	}
	return NewKeeper(d)
}

// whole redacts a text that comes in one piece.
func whole(s *Stream, text string) string {
	out := string(s.Push([]byte(text)))
	return out + string(s.Flush())
}

// example splits an example of kinds.toml into text and the part that begins the
// secret.
func example(marked string) (text, secret string) {
	before, after, _ := strings.Cut(marked, "~")
	text = before + after
	end := strings.IndexAny(after, " \"',;&:@/?")
	if end < 0 {
		end = len(after)
	}
	return text, after[:min(end, 6)]
}

// ownKinds are those of kinds.toml.
func ownKinds(t testing.TB) []kind {
	t.Helper()
	files, err := readKinds()
	if err != nil {
		t.Fatal(err)
	}
	return files[0].Kind
}

// BenchmarkBuiltIn is what the first text of a process costs.
func BenchmarkBuiltIn(b *testing.B) {
	for b.Loop() {
		if _, err := newRuleSet(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestExpressions: those of the files are compiled when they are first tried,
// where one that is none would be a panic.
func TestExpressions(t *testing.T) {
	for _, r := range builtIn().rules {
		r.match()
		for _, a := range r.allow {
			a.has(find{rule: r, line: []byte("x"), groups: []int{0, 1}})
		}
	}
}

// TestKinds holds each kind to its own examples, in several surroundings.
func TestKinds(t *testing.T) {
	kinds := ownKinds(t)
	d, err := NewDetector()
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Kinds()) < 15 {
		t.Errorf("%d kinds", len(d.Kinds()))
	}
	for _, k := range kinds {
		if len(k.Found) == 0 || len(k.Plain) == 0 {
			t.Errorf("%s has no examples", k.Name)
		}
		for _, marked := range k.Found {
			text, secret := example(marked)
			for _, around := range []string{"%s", "%s\r\n", "before\n%s\nafter\n", "\x1b[31m%s\x1b[0m\n", "x\x1b[2;1H%s\x1b[3;1H"} {
				in := fmt.Sprintf(around, text)
				out := whole(d.Stream(nil), in)
				if shown := strings.ReplaceAll(out, Hidden, ""); len(secret) > 2 && strings.Contains(shown, secret) || !strings.Contains(out, Hidden) {
					t.Errorf("%s: %q is shown in %q", k.Name, secret, out)
				}
			}
		}
		for _, text := range k.Plain {
			if out := whole(d.Stream(nil), text+"\n"); out != text+"\n" {
				t.Errorf("%s: %q became %q", k.Name, text, out)
			}
		}
	}
}

// TestFilesThatPeopleHave: whole files, as they stand on servers. Each "~" stands
// before something that must not be shown.
func TestFilesThatPeopleHave(t *testing.T) {
	for name, marked := range map[string]string{
		"aws credentials": "[default]\naws_access_key_id = AK~IAIOSFODNN7EXAMPLQ\naws_secret_access_key = wJalr~XUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz\nregion = eu-central-1\n",
		"kubeconfig":      "users:\n- name: admin\n  user:\n    client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM=\n    client-key-data: LS0t~LS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlF\n    token: ey~JhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJl\n",
		"docker config":   "{\n\t\"auths\": {\n\t\t\"reg.example.com\": {\n\t\t\t\"auth\": \"dXNl~cjpwYXNzd29yZA==\"\n\t\t}\n\t}\n}\n",
		"shadow":          "root:$6$~Xk3/Qa8s$Zp1bTq9uV4wEr7yIo2Pa6Sd0Fg3Hj5Kl8Zx1Cv4Bn7Mq2We5Rt8Yu1Io4Pa7Sd0Fg3Hj6Kl9Zx2Cv5B/:19700:0:99999:7:::\ndaemon:*:19700:0:99999:7:::\n",
		"compose":         "services:\n  db:\n    environment:\n      - MYSQL_ROOT_PASSWORD=s3~cr3t!\n      POSTGRES_PASSWORD: hun~ter2\n    image: mysql:8\n",
		"env":             "APP_ENV=prod\nAPP_KEY=base64:kP~9sVx2Lq8Zr4Tn1Wm7Yb3Hc6Jd5Kf0Ag8Se1Qu4=\nDB_PASSWORD=\"with ~space\"\nDATABASE_URL=postgres://a:p4~ss@db/a\nSTRIPE_KEY=sk_l~ive_4eC39HqLyjWDarjtT1zdp7dc\n",
		"wireguard":       "[Interface]\nPrivateKey = yAnz~5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=\nListenPort = 51820\n[Peer]\nPublicKey = xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=\nPresharedKey = FpCy~hws9cxwWoV4xELtfJvjJN+zQVRPISllRWgeopVE=\n",
		"gitconfig":       "[remote \"origin\"]\n\turl = https://oauth2:glp~at-x9Kq2LmN4pQr7StUvW1y@gitlab.example.com/a/b.git\n",
		"gcp":             "{\n  \"type\": \"service_account\",\n  \"private_key_id\": \"abcdef\",\n  \"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMIIE~vQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\\nabc=\\n-----END PRIVATE KEY-----\\n\",\n  \"client_email\": \"a@b.iam.gserviceaccount.com\"\n}\n",
		"wordpress":       "define('DB_NAME', 'wp');\ndefine('DB_PASSWORD', 'hun~ter2');\n",
		"maven":           "<server><id>x</id><username>u</username><password>s3~cret</password></server>\n",
		"redis":           "port 6379\nrequirepass foo~bared1\n",
		"history":         "  501  export GITHUB_TOKEN=ghp~_16C7e42F292c6912E7710c838347Ae178B4a\n  502  mysql -uroot -phun~ter2 app\n  503  ls -la\n",
		"curl -v":         "> GET / HTTP/1.1\r\n> Host: x\r\n> Authorization: Bearer 0a1b~2c3d4e5f60718293a4b5c6d7e8f9\r\n< Set-Cookie: sessionid=k3j4~h5g6f7d8s9a0; HttpOnly\r\n",
		"diff":            "-password: old~pass1\n+password: new~pass2\n",
		"environ":         "HOME=/root\x00PGPASSWORD=hun~ter2\x00PATH=/bin\x00",
		"terraform":       "resource \"db\" \"x\" {\n  username = \"admin\"\n  password = \"Tr0ub~4dor&3\"\n}\n",
	} {
		parts := strings.Split(marked, "~")
		text := strings.Join(parts, "")
		out := whole(newKeeper(t).detector.Stream(nil), text)
		for _, part := range parts[1:] {
			if end := strings.IndexAny(part, " \"',;&:@/?!\n\r\x00<\\"); end >= 0 {
				part = part[:end]
			}
			if strings.Contains(strings.ReplaceAll(out, Hidden, ""), part) {
				t.Errorf("%s: %q is shown in\n%s", name, part, out)
			}
		}
		if again := whole(newKeeper(t).detector.Stream(nil), out); again != out {
			t.Errorf("%s: a second time:\n%s", name, again)
		}
	}
}

// cuts gives a text to a stream in random pieces.
func cuts(s *Stream, text string, random *rand.Rand, most int) string {
	var b strings.Builder
	for len(text) > 0 {
		n := min(len(text), 1+random.IntN(most))
		b.Write(s.Push([]byte(text[:n])))
		text = text[n:]
	}
	b.Write(s.Flush())
	return b.String()
}

// TestPiecesMakeNoDifference cuts all samples together. FuzzStream cuts each line of them
// byte by byte, which for all of them NOD_E2E=1 does here.
func TestPiecesMakeNoDifference(t *testing.T) {
	k := newKeeper(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		text  string
		sizes []int
		few   []int // those of the gate: each byte that is cut costs
	}{
		{samples(t), []int{1, 2, 3, 7, 20, 100, 1000, 40000}, []int{20, 40000}},
		{longLines(), []int{5000, 40000, 100000}, []int{40000}},
	} {
		want := whole(k.detector.Stream(nil), c.text)
		if !strings.Contains(want, Hidden) {
			t.Fatal("nothing was found")
		}
		sizes := c.sizes
		if os.Getenv("NOD_E2E") != "1" {
			sizes = c.few
		}
		for _, most := range sizes {
			if got := cuts(k.detector.Stream(nil), c.text, random, most); got != want {
				t.Fatalf("pieces of up to %d bytes: %s", most, difference(got, want))
			}
		}
	}
}

func difference(got, want string) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	cut := func(s string) string { return s[max(0, i-80):min(len(s), i+80)] }
	return fmt.Sprintf("at %d:\n%q\nwant\n%q", i, cut(got), cut(want))
}

// samples is all examples, in lines of text, of colours, of a terminal.
func samples(t testing.TB) string {
	t.Helper()
	kinds := ownKinds(t)
	var b strings.Builder
	for _, k := range kinds {
		for _, marked := range k.Found {
			text := strings.ReplaceAll(marked, "~", "")
			fmt.Fprintf(&b, "%s\n$ %s trailing words\r\n\x1b[1;32mok\x1b[0m \x1b[31m%s\x1b[0m\x1b[K\x1b[7;1H%s\x00%s\a\x1b]0;%s\a\n", text, text, text, text, text, text)
		}
		for _, text := range k.Plain {
			fmt.Fprintf(&b, "%s\n%s more of it\r%s", text, text, text)
		}
	}
	b.WriteString("{\\\"password\\\":\\\"let me in1 [x\\\"} 'passwd' => 'a b c1' token=\"it's a12 b\"\n")
	b.WriteString(pem + "rest\n" + strings.ReplaceAll(pem, "\n", "\r\n") + pem[:200] + "\n$ no end\n")
	b.WriteString(`{"k":"` + strings.ReplaceAll(pem, "\n", `\n`) + `","x":"password=hunter22"}` + "\n")
	return b.String()
}

// longLines are lines that are longer than what is looked at together.
func longLines() string {
	var b strings.Builder
	b.WriteString(strings.Repeat("long line ", 8000) + "password=hunter22 " + strings.Repeat(`{"a":"b","token":"0123456789abcdef01"},`, 1800) + "\n")
	b.WriteString(strings.Repeat("A1b2", 20000) + "password=" + strings.Repeat("x9", 40000) + "\nend")
	return b.String()
}

var pem = "-----BEGIN OPENSSH " + "PRIVATE KEY-----\n" +
	"b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n" +
	"QyNTUxOQAAACBKc3Rqb2tlZHRlc3RrZXl0aGF0aXNub3RvbmVhdGFsbAAAAJh5b3VkaWRu\n" +
	"b3RyZWFsbHl0aGlua3RoYXQ=\n" +
	"-----END OPENSSH " + "PRIVATE KEY-----\n"

// TestFormsOfAnAssignment: what names a secret and the secret may be far apart,
// also in lines of their own.
func TestFormsOfAnAssignment(t *testing.T) {
	const secret = "q8Kd93mSx0aPq1Lm4Zr7Tw2Yb"
	for _, form := range []string{
		`X_TOKEN = "%s"`, `X_TOKEN := "%s"`, `X_TOKEN ::= "%s"`, `X_TOKEN :::= "%s"`, `X_TOKEN ?= "%s"`, "xToken := `%s`",
		`var xToken string = "%s"`, `let xToken: string = '%s'`, `val apiKey: String = "%s"`, `$xToken .= "%s"`,
		`System.setProperty("X_TOKEN", "%s")`, `"xToken" => "%s"`, "<xToken>%s</xToken>", "<xToken>{%s}</xToken>",
		"<xToken>\n\t%s\n</xToken>", "<xToken>\r\n\t%s\r\n</xToken>\r\n", `curl -u ":%s" https://x`, `curl -u "user:%s" https://x`,
		"curl https://x \\\n  -X POST \\\n  --user somebody:%s --data x\n", "curl https://x \\\r\n  --user 'somebody:%s'\r\n",
		"Authorization: Api-Token %s", "x token - '%s'",
	} {
		in := fmt.Sprintf(form, secret)
		d := newKeeper(t).detector
		for _, text := range []string{in, "before\n" + in + "\nafter\n", "key\n" + in + "\nafter\n"} {
			if out := whole(d.Stream(nil), text); strings.Contains(out, secret) || !strings.Contains(out, Hidden) {
				t.Errorf("%q became %q", text, out)
			}
			random := rand.New(rand.NewPCG(1, 1))
			if got, want := cuts(d.Stream(nil), text, random, 1), whole(d.Stream(nil), text); got != want {
				t.Errorf("byte by byte: %s", difference(got, want))
			}
			s, lines := d.Stream(nil), ""
			for line := range strings.SplitAfterSeq(text, "\n") {
				lines += string(s.Push([]byte(line)))
			}
			if lines += string(s.Flush()); lines != whole(d.Stream(nil), text) {
				t.Errorf("line by line: %q", lines)
			}
		}
	}
}

// TestBareTokens: these are known by their form alone.
func TestBareTokens(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	of := func(n int, letters string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[random.IntN(len(letters))]
		}
		return string(b)
	}
	const digits, hex, lower = "0123456789", "0123456789abcdef", "abcdefghijklmnopqrstuvwxyz"
	const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	const letters = digits + lower + upper
	jwt := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"1234567890"}`)) + "." + of(43, letters)
	for _, token := range []string{
		"s." + of(24, letters), "hvs." + of(95, letters), base64.StdEncoding.EncodeToString([]byte(jwt)), jwt,
		"ntn_" + of(11, digits) + of(35, letters), "sgp_" + of(40, hex), "sgp_" + of(16, hex) + "_" + of(40, hex), "api_org_" + of(34, lower),
		"ops_eyJ" + of(280, letters), "EAAM" + of(120, letters), "EAAC" + of(120, letters), "EAAB" + of(120, letters),
		"gh" + "p_" + of(36, letters), "AI" + "za" + of(35, letters), "sk-" + of(20, letters) + "T3BlbkFJ" + of(20, letters),
		"BBDC-" + of(44, letters), "lsv2_" + "pt_" + of(32, hex) + "_" + of(10, hex), "da2-" + of(26, digits+lower),
	} {
		for _, in := range []string{token, "using " + token + " now\n", "\x1b[31m" + token + "\x1b[0m\n"} {
			if out := whole(newKeeper(t).detector.Stream(nil), in); !strings.Contains(out, Hidden) || strings.Contains(out, token[len(token)/2:]) {
				t.Errorf("%q became %q", in, out)
			}
		}
	}
}

// TestFlushEndsABlock: a key whose end never came is given as what stands for
// it, once, and what comes then is another text.
func TestFlushEndsABlock(t *testing.T) {
	k := newKeeper(t)
	for _, cutAt := range []int{len(pem) / 2, len(pem) - 30} {
		begun := pem[:cutAt]
		if at := strings.LastIndexByte(begun, '\n'); at > 0 {
			begun = begun[:at+1]
		}
		s := k.detector.Stream(nil)
		first := whole(s, begun)
		if strings.Count(first, Hidden) != 1 || strings.Contains(first, "b3BlbnNz") {
			t.Errorf("%q became %q", begun, first)
		}
		if s.Held() != 0 {
			t.Errorf("%d bytes are held after Flush", s.Held())
		}
		const next = "bm90b2ZhbnlrZXk=\nplain\n" // a line that a key could have
		if second := whole(s, next); second != next {
			t.Errorf("the text after it became %q", second)
		}
	}
	s := k.detector.Stream(nil)
	whole(s, "<xToken>\n")
	const next = "q8Kd93mSx0aPq1Lm4Zr7Tw2Yb\n"
	if out := whole(s, next); out != next {
		t.Errorf("an element of the text before made of %q %q", next, out)
	}
}
