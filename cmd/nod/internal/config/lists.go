package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// listEnd stands behind each item of a list where settings are parsed. No item
// can hold it.
const listEnd = "\x00"

// list is a setting of several texts, each of which check accepts.
func list(key string, field func(*Config) *[]string, check func(string) error) setting {
	return setting{
		key: key,
		parse: func(c *Config, s string) error {
			*field(c) = nil
			if s == "" {
				return nil
			}
			for item := range strings.SplitSeq(strings.TrimSuffix(s, listEnd), listEnd) {
				if err := check(item); err != nil {
					return err
				}
				*field(c) = append(*field(c), item)
			}
			return nil
		},
		show: func(c *Config) string { return strings.Join(*field(c), ", ") },
	}
}

func isAbsolute(name string) error {
	if !filepath.IsAbs(name) {
		return fmt.Errorf("%q is no absolute path", name)
	}
	return nil
}

// isDomain accepts "example.com" and "*.example.com".
func isDomain(name string) error {
	host := strings.TrimPrefix(name, "*.")
	if host == "" || strings.ContainsAny(host, "/:*@ ") || strings.HasPrefix(host, ".") {
		return fmt.Errorf("%q is no domain such as \"example.com\" or \"*.example.com\"", name)
	}
	return nil
}

// absolute makes a setting take absolute paths alone, or nothing.
func absolute(s setting) setting {
	parse := s.parse
	s.parse = func(c *Config, text string) error {
		if text != "" {
			if err := isAbsolute(text); err != nil {
				return err
			}
		}
		return parse(c, text)
	}
	return s
}

// hidden makes a setting whose value is not shown.
func hidden(s setting) setting {
	show := s.show
	s.show = func(c *Config) string { return mask(show(c)) }
	return s
}
