package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/agent/briefing"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/memory"
	"github.com/nod-console/nod/agent/redact"
	"github.com/nod-console/nod/agent/runbook"
	"github.com/nod-console/nod/agent/skill"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/ui/screen"
)

// skillLines bounds the catalogue of skills in a prompt, in bytes.
const skillLines = 6000

// Guidance is what the model is told besides the conversation: what is
// remembered, skills, and what the operator's folder and his runbooks say.
type Guidance struct {
	memory   *memory.Memory
	consents *runbook.Consents
	folder   string        // the workspace
	skills   []skill.Place // those that need no consent
	runbooks string        // the operator's own, by target; empty if there is no place for them
	// allow asks the operator whether a folder may be read. Nil: nobody can be
	// asked.
	allow questions.Allower
	warn  func(string)

	mu        sync.Mutex
	read      runbook.Folder            // as the operator has allowed it
	onTargets map[string]runbook.Folder // the same of targets that were looked at, by name
	warned    string                    // what was warned of last
}

// SkillsDir is where nod's own skills are installed; empty if there is no folder
// for the configuration.
func SkillsDir(c *config.Config) string {
	if c.Path() == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(c.Path()), "skills")
}

// runbooksDir is where the operator's own runbooks are; empty if there is no folder
// for the configuration.
func runbooksDir(c *config.Config) string {
	if c.Path() == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(c.Path()), "runbooks")
}

// Workspace is the folder that the operator works in: where nod was started, or
// the top of the repository around it.
func Workspace(getenv func(string) string) string {
	at, err := Absolute(".")
	if err != nil {
		return ""
	}
	for dir := at; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) || dir == getenv("HOME") {
			return at
		}
	}
}

// skillPlaces are the folders of skills that are the operator's own.
func skillPlaces(getenv func(string) string, c *config.Config) []skill.Place {
	var places []skill.Place
	if dir := SkillsDir(c); dir != "" {
		places = append(places, skill.Place{Dir: dir, Name: "nod"})
	}
	if home := getenv("HOME"); home != "" {
		for _, name := range runbook.SkillFolders {
			places = append(places, skill.Place{Dir: filepath.Join(home, name), Name: "~/" + name})
		}
	}
	return places
}

// NewGuidance is all of it but the memory, which needs the store.
func NewGuidance(c *config.Config, getenv func(string) string, state string, allow questions.Allower, warn func(string)) *Guidance {
	return &Guidance{
		consents: runbook.Open(config.ConsentsFile(state)), folder: Workspace(getenv), skills: skillPlaces(getenv, c),
		runbooks: runbooksDir(c), allow: allow, warn: warn,
	}
}

// openMemory opens what is remembered, and offers the tools for it and for skills.
func (h *Core) openMemory(store *history.Store) error {
	k := h.guidance
	var err error
	k.memory, err = memory.Open(config.MemoryDir(h.State), store, memory.Options{Workspace: k.folder, Secret: LooksSecret(h.secrets)})
	if err != nil {
		return err
	}
	h.closers = append(h.closers, k.memory.Close)
	shelf := deskMemory{k.memory}
	for _, t := range []tools.Tool{
		&desk.Remember{Memory: shelf, Verifier: h.verifier}, &desk.Forget{Memory: shelf, Verifier: h.verifier},
		&desk.ActivateSkill{Load: k.loadSkill, Any: func() bool { return len(k.Catalog().Lines(skillLines)) > 0 }},
	} {
		if err := h.Tools.Register(t); err != nil {
			return err
		}
	}
	return nil
}

// LooksSecret reports whether a text has anything that is kept from models.
func LooksSecret(keeper *redact.Keeper) func(string) bool {
	return func(text string) bool {
		s := keeper.Stream()
		clean := string(s.Push([]byte(text))) // which Flush writes over
		clean += string(s.Flush())
		return clean != text
	}
}

// ReadGuidance looks, before a turn, at what the workspace says and what the operator's
// folder on the current target says.
func (h *Core) ReadGuidance(ctx context.Context) {
	h.guidance.Read(ctx)
	if there := h.Targets.Get(h.Targets.Current()); there != nil && there.Home != "" {
		h.guidance.readTarget(ctx, there.Target, there.Home)
	}
}

// Read looks at what the workspace says, before a turn. The operator is asked
// once for the bytes that are there.
func (k *Guidance) Read(ctx context.Context) {
	if k.folder == "" { // it is gone
		return
	}
	f, err := runbook.Look(k.folder)
	if err == nil && f.Empty() && len(f.Left) > 0 {
		err = errors.New(strings.Join(f.Left, "; "))
	}
	if err == nil && !f.Empty() {
		f, err = k.consented(ctx, f, "guidance in the working folder", fmt.Sprintf("nod memory allow %s does", f.Dir))
	}
	switch {
	case errors.Is(err, errUnanswered):
		k.setFolder(runbook.Folder{}, "")
	case err != nil:
		k.setFolder(runbook.Folder{}, err.Error())
	default:
		k.setFolder(f, "")
	}
}

// readTarget looks at what the operator's folder on a target says, once. Only
// what he allows is told to the model, while it works there.
func (k *Guidance) readTarget(ctx context.Context, t backends.Target, home string) {
	k.mu.Lock()
	_, known := k.onTargets[t.Name()]
	k.mu.Unlock()
	if known {
		return
	}
	f, err := runbook.LookOn(ctx, t, home)
	if err == nil && f.Empty() && len(f.Left) > 0 {
		err = errors.New(strings.Join(f.Left, "; "))
	}
	if err == nil && !f.Empty() {
		f, err = k.consented(ctx, f, "guidance on "+t.Name(), "nod asks for it on a terminal")
	}
	if ctx.Err() != nil || errors.Is(err, errUnanswered) {
		return // the next turn looks again
	}
	if err != nil {
		f = runbook.Folder{}
		if k.warn != nil {
			k.warn("what " + t.Name() + ":" + home + " says is not read: " + err.Error())
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.onTargets == nil {
		k.onTargets = map[string]runbook.Folder{}
	}
	k.onTargets[t.Name()] = f
}

// errUnanswered: the operator has said neither yes nor no. The next turn asks again.
var errUnanswered = errors.New("it was not answered")

// consented is a folder as it may be told: as it is if the operator has allowed or now
// allows it, otherwise empty. how is what allows it where nobody can be asked.
func (k *Guidance) consented(ctx context.Context, f runbook.Folder, title, how string) (runbook.Folder, error) {
	state, err := k.consents.Of(f)
	if err != nil {
		return runbook.Folder{}, err
	}
	if state == runbook.Unknown || state == runbook.Changed {
		if k.allow == nil {
			return runbook.Folder{}, errors.New("nobody has allowed it yet; " + how)
		}
		yes, err := k.allow(ctx, title, consentText(f, state))
		if err != nil {
			return runbook.Folder{}, errUnanswered
		}
		if err := k.consents.Set(f, yes, time.Now()); err != nil {
			return runbook.Folder{}, err
		}
		state = runbook.Refused
		if yes {
			state = runbook.Allowed
		}
	}
	if state != runbook.Allowed {
		f = runbook.Folder{}
	}
	return f, nil
}

// setFolder takes over what may be told, and warns once of what is wrong.
func (k *Guidance) setFolder(f runbook.Folder, wrong string) {
	k.mu.Lock()
	k.read = f
	again := wrong == k.warned
	k.warned = wrong
	k.mu.Unlock()
	if wrong != "" && !again && k.warn != nil {
		k.warn("what the working folder says is not read: " + wrong)
	}
}

// consentText is what the operator is asked about a folder.
func consentText(f runbook.Folder, state runbook.State) string {
	text := f.Describe() + "\n\n"
	if state == runbook.Changed {
		text += "It has changed since you were asked. "
	}
	return text + "May the model read this, as data? Whatever it says, calls are judged and asked as always."
}

// allowed is the workspace as the operator has allowed it.
func (k *Guidance) allowed() runbook.Folder {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.read
}

// Catalog is the skills that there are now.
func (k *Guidance) Catalog() *skill.Catalog {
	c := skill.Find(k.skills...)
	f := k.allowed()
	for _, file := range f.Skills() {
		dir := filepath.Dir(filepath.Join(f.Dir, file.Name))
		c.Add(skill.Place{Dir: filepath.Dir(dir), Name: "working folder"}, dir, file.Text)
	}
	return c
}

func (k *Guidance) loadSkill(name string) (desk.SkillText, error) {
	s, err := k.Catalog().Load(name)
	if err != nil {
		return desk.SkillText{}, err
	}
	return desk.SkillText{Name: s.Name, Version: s.Version, Tools: s.Tools, Body: s.Body, Folder: s.Dir, Files: s.Files()}, nil
}

// guidance is what the operator's runbook of a target and his folder say.
func (k *Guidance) guidance(target string) briefing.Guidance {
	var g briefing.Guidance
	if text := k.runbook(target); text != "" {
		g.Own = memory.Fence("guidance", "[operator] the runbook of "+target+"\n\n"+text)
	}
	k.mu.Lock()
	there := k.onTargets[target]
	k.mu.Unlock()
	for _, f := range []runbook.Folder{k.allowed(), there} {
		if text := f.Text(); text != "" {
			g.Folder += memory.Fence("guidance", text)
		}
	}
	return g
}

// runbook is the operator's own for a target: runbooks/web-1.md or
// runbooks/ssh:web-1.md beside the configuration.
func (k *Guidance) runbook(target string) string {
	_, short, _ := strings.Cut(target, ":")
	for _, name := range []string{target, short} {
		if k.runbooks == "" || name == "" || !filepath.IsLocal(name) || strings.Contains(name, "/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(k.runbooks, name+".md"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			k.warn("the runbook of " + target + " is not read: " + err.Error())
			continue
		}
		if len(text) > runbook.MaxTold {
			text = append(text[:runbook.MaxTold:runbook.MaxTold], "\n[the rest does not fit]"...)
		}
		return screen.CleanLines(strings.ToValidUTF8(string(text), "\uFFFD"))
	}
	return ""
}

// deskMemory is the memory as the tools want it.
type deskMemory struct{ *memory.Memory }

var _ desk.Memory = deskMemory{}

// IsNote implements desk.Memory.
func (deskMemory) IsNote(id string) bool { return memory.IsNote(id) }

// PlanRemember implements desk.Memory.
func (d deskMemory) PlanRemember(scope, target, conversation, text string, tainted bool) (desk.Draft, error) {
	s, err := memory.ParseScope(scope)
	if err != nil {
		return desk.Draft{}, err
	}
	c, err := d.Memory.PlanRemember(s, target, conversation, text, tainted)
	return draft(c), err
}

// PlanForget implements desk.Memory.
func (d deskMemory) PlanForget(target, id string) (desk.Draft, error) {
	c, _, err := d.Memory.PlanForget(target, id)
	return draft(c), err
}

// Write implements desk.Memory.
func (d deskMemory) Write(path string, expect backends.Version, content []byte) error {
	return d.Memory.Write(path, expect, content)
}

func draft(c memory.Change) desk.Draft {
	return desk.Draft{Path: c.Path, Old: c.Old, Content: c.Content, Expect: c.Expect}
}

// Absolute is a folder's own path, without links.
func Absolute(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}
