package plugin

import (
	"fmt"
	"strings"
)

// Reload exchanges what was installed, accepted anew or removed since, and says in lines
// what it did. What was accepted anew and cannot be started does not go on as it was: its
// required hooks deny. What is running and was only changed on disk goes on as accepted.
func (s *Set) Reload() ([]string, error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	all, err := s.o.Store.All()
	if err != nil {
		return nil, err
	}
	s.o.Hooks.Replace("plugins") // what barred all, if it did: it can be read
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	there := map[string]bool{}
	for _, p := range all {
		there[p.Name] = true
		sl := s.slot(p.Name, p.Accepted)
		s.mu.Lock()
		loaded := sl.loaded
		s.mu.Unlock()
		switch {
		case loaded != nil && loaded.Digest == p.Accepted.Digest:
			if p.Fault != "" {
				say("%s goes on as it was accepted: %s", p.Name, p.Fault)
			}
			continue
		case p.Fault != "":
			s.put(sl, p.Accepted, nil, p.Fault)
			say("%s does not run: %s", p.Name, p.Fault)
			continue
		}
		l, fault := s.load(p.Plugin)
		s.put(sl, p.Accepted, l, fault)
		switch {
		case l == nil:
			say("%s does not run: %s", p.Name, fault)
		case loaded == nil:
			say("%s %s runs", p.Name, p.Version)
		default:
			say("%s %s runs in the place of %s", p.Name, p.Version, strings.TrimSpace("what ran before "+loaded.Version))
		}
		if l != nil && s.o.Record != nil {
			s.o.Record(strings.TrimSpace(p.Name+" "+p.Version) + " " + p.Digest)
		}
	}
	for _, sl := range s.sorted() {
		if there[sl.name] {
			continue
		}
		s.put(sl, Accepted{}, nil, "it was removed")
		s.mu.Lock()
		delete(s.slots, sl.name)
		s.mu.Unlock()
		say("%s was removed", sl.name)
		if s.o.Record != nil {
			s.o.Record(sl.name + " removed")
		}
	}
	if lines == nil {
		lines = []string{"nothing has changed"}
	}
	return lines, nil
}
