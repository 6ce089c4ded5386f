package tools

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sync"
)

// ErrNotGranted is the error of a guarded call whose grant does not fit its
// action. Nothing has run.
var ErrNotGranted = errors.New("the action is not the one that was granted")

// Grant is the proof that exactly one action was allowed. The zero value
// allows nothing.
type Grant struct {
	digest Digest
	serial uint64
	mac    [sha256.Size]byte
}

// Digest is the digest of the action that the grant is for.
func (g Grant) Digest() Digest { return g.digest }

// NewMint makes the two halves of a mint: who holds the Minter can allow
// actions, who holds the Verifier can tell whether one was allowed. The key
// stays inside and is different for each mint.
func NewMint() (*Minter, *Verifier) {
	var key [32]byte
	rand.Read(key[:]) // never fails: see crypto/rand.Read
	return &Minter{key: key}, &Verifier{key: key, used: map[uint64]struct{}{}}
}

// Minter mints grants. Only the policy engine holds one. Safe for concurrent
// use.
type Minter struct {
	key    [32]byte
	mu     sync.Mutex
	serial uint64
}

// Mint allows a, once.
func (m *Minter) Mint(a Action) Grant {
	m.mu.Lock()
	m.serial++
	serial := m.serial
	m.mu.Unlock()
	g := Grant{digest: a.Digest(), serial: serial}
	g.mac = seal(m.key, g.digest, g.serial)
	return g
}

// Verifier checks grants. Safe for concurrent use.
type Verifier struct {
	key  [32]byte
	mu   sync.Mutex
	used map[uint64]struct{}
}

// Check reports whether g allows a: nil, or ErrNotGranted. It does not use the
// grant up; reading goes by it.
func (v *Verifier) Check(a Action, g Grant) error {
	want := seal(v.key, g.digest, g.serial)
	if g.serial == 0 || !hmac.Equal(want[:], g.mac[:]) || g.digest != a.Digest() {
		return ErrNotGranted
	}
	return nil
}

// Redeem is Check for an action that acts: a grant can be redeemed once.
func (v *Verifier) Redeem(a Action, g Grant) error {
	if err := v.Check(a, g); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, used := v.used[g.serial]; used {
		return ErrNotGranted
	}
	v.used[g.serial] = struct{}{}
	return nil
}

func seal(key [32]byte, d Digest, serial uint64) [sha256.Size]byte {
	h := hmac.New(sha256.New, key[:])
	h.Write(d[:]) // a hash's Write never fails
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], serial)
	h.Write(n[:])
	return [sha256.Size]byte(h.Sum(nil))
}
