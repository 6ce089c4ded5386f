package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

func TestTheSameSecretHasTheSamePlaceholder(t *testing.T) {
	k := newKeeper(t)
	v := k.Vault("c")
	text := v.Text("seen hunter2-x9 first\npassword=hunter2-x9\nexport TOKEN_X=1\nAuthorization: Bearer abcdef0123456789abcd\n")
	want := "seen ⟦secret:1⟧ first\npassword=⟦secret:1⟧\nexport TOKEN_X=1\nAuthorization: Bearer ⟦secret:2⟧\n"
	if text != want {
		t.Errorf("%q", text)
	}
	if got := v.Text("mysql -phunter2-x9; abcdef0123456789abcd"); got != "mysql -p⟦secret:1⟧; ⟦secret:2⟧" {
		t.Errorf("known secrets in other surroundings: %q", got)
	}
	if again := v.Text(text); again != text {
		t.Errorf("a second time: %q", again)
	}
	for _, text := range []string{"⟦secret:1⟧⟦secret:1⟧abcdef0123456789", "password=secret:1 x ⟦secret:1⟧"} {
		if once := v.Text(text); !strings.Contains(once, "⟦secret:1⟧") || v.Text(once) != once {
			t.Errorf("%q became %q", text, once)
		}
	}
	if got := v.Text("password=ab1\n"); got != "password="+Hidden+"\n" {
		t.Errorf("a short one: %q", got)
	}
	other := k.Vault("other")
	if got := other.Text("hunter2-x9 password=hunter2-x9"); got != "⟦secret:3⟧ password=⟦secret:3⟧" {
		t.Errorf("another conversation: %q", got)
	}
	if got := whole(k.Stream(), "echo hunter2-x9\n"); got != "echo "+Hidden+"\n" {
		t.Errorf("a recording: %q", got)
	}
	k.Forget("c")
	k.Forget("other")
	if got := whole(k.Stream(), "echo hunter2-x9\n"); got != "echo hunter2-x9\n" {
		t.Errorf("after it was forgotten: %q", got)
	}
}

// What is known is taken out of a line that has not ended, too, also where no word in
// it gives a secret away: a line may come in pieces, and a text may end without one.
func TestWhatIsKnownIsTakenOutBeforeItsLineEnds(t *testing.T) {
	const secret = "Zx9hunter22qq"
	k := newKeeper(t)
	v := k.Vault("c")
	v.Text("password=" + secret + "\n")
	random := rand.New(rand.NewPCG(1, 2))
	for _, text := range []string{
		"echo ~ >/made; echo it was ~", "~ and more", "ready$ ~ \x1b[31mred", "one\nit is ~ or ~ \rthen ~ ", "a ~", "-p~, x", "password=~ ~ x",
	} {
		given := strings.ReplaceAll(text, "~", secret)
		if got, want := v.Text(given), strings.ReplaceAll(text, "~", "⟦secret:1⟧"); got != want {
			t.Errorf("%q became %q", given, got)
		}
		for _, most := range []int{1, 2, 5, 20, 100} {
			if got, want := cuts(k.Stream(), given, random, most), strings.ReplaceAll(text, "~", Hidden); got != want {
				t.Errorf("%q in pieces of up to %d bytes became %q", given, most, got)
			}
		}
	}
}

func TestKeysAreKnownByTheirLines(t *testing.T) {
	v := newKeeper(t).Vault("c")
	lines := strings.Split(pem, "\n")
	got := v.Text("$ cat key\n" + pem + "$ \n")
	if want := "$ cat key\n" + lines[0] + "\n⟦secret:1⟧\n" + lines[4] + "\n$ \n"; got != want {
		t.Errorf("%q", got)
	}
	if got := v.Text(lines[2] + "\n" + lines[4]); got != "⟦secret:1⟧\n"+lines[4] {
		t.Errorf("a page from the middle: %q", got)
	}
	if got := v.Text(lines[0] + "\n" + lines[1][:50]); strings.Contains(got, lines[1][:20]) {
		t.Errorf("a page that ends in the middle: %q", got)
	}
	filled, err := v.Fill(lines[0]+"\n⟦secret:1⟧\n"+lines[4]+"\n", false)
	if err != nil || filled != pem {
		t.Errorf("filled in: %q, %v", filled, err)
	}
	if _, err := v.Fill("echo ⟦secret:1⟧", true); !errors.Is(err, ErrUnsafe) {
		t.Errorf("a key in a command: %v", err)
	}
}

func TestFillingIn(t *testing.T) {
	v := newKeeper(t).Vault("c")
	v.Text("password=plain1234 \npassword=\"ev'il;id1\" \npassword=-option123 \npassword=short\n")
	for _, c := range []struct {
		in, want string
		command  bool
		err      error
	}{
		{"nothing to do", "nothing to do", true, nil},
		{"mysql -p⟦secret:1⟧ -e 'x'", "mysql -pplain1234 -e 'x'", true, nil},
		{"x ⟦secret:1⟧ ⟦secret:1⟧", "x plain1234 plain1234", true, nil},
		{"x ⟦secret:2⟧", "", true, ErrUnsafe},
		{"x '⟦secret:2⟧'", "", true, ErrUnsafe},
		{"x ⟦secret:2⟧", "x ev'il;id1", false, nil},
		{"x ⟦secret:3⟧", "", true, ErrUnsafe},
		{"x ⟦secret:99⟧", "", true, ErrUnknown},
		{"x ⟦secret:99999999999⟧ ", "x ⟦secret:99999999999⟧ ", true, nil},
		{"x ⟦secret:4294967297⟧ ", "", false, ErrUnknown},
		{"x " + Hidden, "", true, ErrUnknown},
	} {
		got, err := v.Fill(c.in, c.command)
		if !errors.Is(err, c.err) || c.err == nil && !strings.HasPrefix(got, c.want) {
			t.Errorf("%q: %q, %v", c.in, got, err)
		}
	}
	known, ok := v.Known(Names("⟦secret:1⟧ and ⟦secret:7⟧", "⟦secret:1⟧"))
	if ok || len(known) != 1 || known[0].Kind != "password" || known[0].value != "" {
		t.Errorf("%+v, %v", known, ok)
	}
}

func TestNumbersOfAnEarlierProcessKeepTheirMeaning(t *testing.T) {
	k := newKeeper(t)
	v := k.Vault("c")
	v.Adopt("a ⟦secret:7⟧ b ⟦secret:3⟧ ⟦secret:99999999999⟧ ⟦secret:4000000000⟧")
	if got := v.Text("password=newsecret1"); got != "password=⟦secret:8⟧" {
		t.Errorf("%q", got)
	}
	if _, err := v.Fill("⟦secret:7⟧", false); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

func TestAVaultIsBounded(t *testing.T) {
	v := newKeeper(t).Vault("c")
	var b strings.Builder
	for i := range maxKnown + 50 {
		fmt.Fprintf(&b, "password=number%06dx\n", i)
	}
	got := v.Text(b.String())
	if n := strings.Count(got, Hidden); n != 50 || strings.Contains(got, "number0") {
		t.Errorf("%d hidden", n)
	}
}

func TestStringsOfJSON(t *testing.T) {
	v := newKeeper(t).Vault("c")
	in := `{ "harness_timestamp":{"source":"harness","unix_millis":1},"result":{"stdout":"DB_PASSWORD=\"hunter2\u002dx9\"\nok <b>\n","exit_code":0,` +
		`"password":"p4ssw0rd!x","list":["Bearer token","x"],"content":"` + strings.ReplaceAll(pem, "\n", `\n`) + `","n":null}}`
	got := v.JSON(in)
	for _, secret := range []string{"hunter2", "p4ssw0rd", "QyNTUx"} {
		if strings.Contains(got, secret) {
			t.Errorf("%s is in %s", secret, got)
		}
	}
	var value struct {
		Result struct{ Stdout, Password, Content string }
	}
	if err := json.Unmarshal([]byte(got), &value); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if value.Result.Stdout != "DB_PASSWORD=\"⟦secret:1⟧\"\nok <b>\n" || !strings.HasPrefix(value.Result.Password, "⟦secret:") || !strings.Contains(value.Result.Content, "KEY-----\n⟦secret:") {
		t.Errorf("%+v", value)
	}
	if plain := `{"a" : [1, "b\/c", {"secret_name":"web-tls"}] }`; v.JSON(plain) != plain {
		t.Errorf("%q", v.JSON(plain))
	}
	if got := v.JSON("no json: password=abcd1234"); !strings.Contains(got, "⟦secret:") {
		t.Errorf("%q", got)
	}
}

func TestTheOperatorsPatterns(t *testing.T) {
	k := newKeeper(t, Pattern{"ticket", `\bACME-[0-9]{4}\b`}, Pattern{"card", `card: (\d+ \d+)`})
	text := "see ACME-1234 and card: 4111 1111\n"
	want := "see ⟦secret⟧ and card: ⟦secret⟧\n"
	if got := whole(k.detector.Stream(nil), text); got != want {
		t.Errorf("%q", got)
	}
	random := rand.New(rand.NewPCG(1, 2))
	if got := cuts(k.detector.Stream(nil), text, random, 1); got != want {
		t.Errorf("%q", got)
	}
	if _, err := NewDetector(Pattern{"bad", "("}); err == nil || !strings.Contains(err.Error(), `"bad"`) {
		t.Error(err)
	}
}

// TestPromptsAreNotHeldBack: what is interactive keeps its pace.
func TestPromptsAreNotHeldBack(t *testing.T) {
	for _, text := range []string{"deploy@web-1:~$ ", "$ ls -l 7", "[sudo] password for deploy: ", "Enter passphrase for key '/root/.ssh/id': ", "progress 45%", "\x1b[1mweb\x1b[0m> ", "(reading database) "} {
		s := newKeeper(t).detector.Stream(nil)
		if got := string(s.Push([]byte(text))); got != text {
			t.Errorf("%q: %q was given out", text, got)
		}
	}
	s := newKeeper(t).detector.Stream(nil)
	if got := string(s.Push([]byte("export DB_PASSWORD=hunt"))); strings.Contains(got, "hunt") {
		t.Errorf("%q", got)
	}
	if s.Held() == 0 {
		t.Error("nothing is held")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	s := newKeeper(t).detector.Stream(nil)
	piece := []byte(strings.Repeat("A1b2+/", 5000))
	begin := []byte("-----BEGIN RSA " + "PRIVATE KEY-----\n")
	for _, first := range [][]byte{nil, []byte("password="), []byte("\x1b]0;"), begin, []byte("\"")} {
		s.Push(first)
		for range 60 {
			s.Push(piece)
			if n := cap(s.line) + cap(s.block.body) + cap(s.block.raw) + cap(s.out); n > 600<<10 || s.Held() > 256<<10 {
				t.Fatalf("after %q: %d bytes, %d of them text", first, n, s.Held())
			}
		}
		s.Flush()
	}
	s.Push(begin)
	for range 100 {
		s.Push([]byte(strings.Repeat("\n", 1000)))
	}
	if s.Held() > 256<<10 {
		t.Errorf("%d bytes of empty lines", s.Held())
	}
}

func TestVaultsAreSafeForConcurrentUse(t *testing.T) {
	k := newKeeper(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			v := k.Vault(fmt.Sprint(i % 2))
			for j := range 50 {
				v.Text(fmt.Sprintf("password=secret%04d", j))
				_, _ = v.Fill("⟦secret:1⟧", true)
				whole(k.Stream(), "secret0001\n")
			}
		})
	}
	wg.Wait()
}

func FuzzStream(f *testing.F) {
	for _, line := range strings.SplitAfter(samples(f), "\n") {
		f.Add([]byte(line), uint64(len(line)))
	}
	d, err := NewDetector()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		if len(text) > 4<<10 {
			t.Skip("byte by byte, this takes too long")
		}
		want := whole(d.Stream(nil), string(text))
		random := rand.New(rand.NewPCG(seed, 1))
		for _, most := range []int{1, 5, 100} {
			if got := cuts(d.Stream(nil), string(text), random, most); got != want {
				t.Fatalf("%q: %s", text, difference(got, want))
			}
		}
		k := NewKeeper(d)
		v := k.Vault("c")
		if !bytes.Contains(text, []byte{escape}) { // else it may stand in a sequence
			const secret = "Zx9hunter22qq"
			at := random.IntN(len(text) + 1)
			k.Vault("other").Text("password=" + secret + "\n")
			for _, most := range []int{1, 20, len(text) + 100} {
				if got := cuts(k.Stream(), string(text[:at])+" "+secret+" "+string(text[at:]), random, most); strings.Contains(got, secret) {
					t.Fatalf("%q with what is known at %d: %q", text, at, got)
				}
			}
			k.Forget("other")
		}
		once := v.Text(string(text))
		if twice := v.Text(once); twice != once {
			t.Fatalf("%q: %q became %q", text, once, twice)
		}
	})
}
