package guide

import (
	"fmt"
	"path"
	"sort"
	"strings"
	"time"
)

const maxCertificates = 8

// readCertificates reads what was found, or what a named host shows.
func readCertificates(f found) []step {
	var steps []step
	if f.host != "" {
		steps = append(steps, observe(
			"openssl s_client -connect "+f.host+":443 -servername "+f.host+" </dev/null 2>/dev/null | openssl x509 -noout -subject -enddate",
			"read the certificate that "+f.host+" shows"))
	}
	for _, file := range certificateFiles(f) {
		steps = append(steps, observe("openssl x509 -noout -subject -enddate -in "+file,
			"read when the certificate "+path.Base(file)+" ends"))
	}
	return steps
}

// certificateFiles are the found files that are certificates by their names, not keys.
func certificateFiles(f found) []string {
	o, ok := f.get("find")
	if !ok {
		return nil
	}
	var files []string
	for _, line := range o.lines() {
		base := strings.ToLower(path.Base(line))
		if plainPath().FindString(line) != line || strings.Contains(base, "key") || strings.HasPrefix(base, "dh") ||
			base == "chain.pem" || base == "fullchain.pem" || len(files) == maxCertificates {
			continue
		}
		files = append(files, line)
	}
	return files
}

// certificate is what openssl x509 says about one.
type certificate struct {
	subject string
	end     time.Time
}

var (
	certSubject = lazy(`(?m)^subject=\s*(.*)$`)
	certEnd     = lazy(`(?m)^notAfter=(.*)$`)
)

func parseCertificate(o outcome) (certificate, bool) {
	m := certEnd().FindStringSubmatch(o.text)
	if m == nil {
		return certificate{}, false
	}
	end, err := time.Parse("Jan _2 15:04:05 2006 MST", strings.TrimSpace(m[1]))
	if err != nil {
		return certificate{}, false
	}
	c := certificate{end: end}
	if s := certSubject().FindStringSubmatch(o.text); s != nil {
		c.subject = strings.TrimSpace(s[1])
	}
	return c, true
}

func reportCertificates(f found) string {
	type named struct {
		certificate
		line string
	}
	var read []named
	unread := 0
	for _, s := range readCertificates(f) {
		o, ok := f.done[s.key()]
		if !ok {
			continue
		}
		c, ok := parseCertificate(o)
		if !ok || o.denied {
			unread++
			continue
		}
		line, _ := s.args["command"].(string)
		read = append(read, named{c, line})
	}
	sort.SliceStable(read, func(i, j int) bool { return read[i].end.Before(read[j].end) })
	var parts []string
	if len(read) == 0 && unread == 0 {
		if _, ok := f.get("find"); ok {
			return "I found no certificates where the usual servers keep them (/etc/letsencrypt, nginx, apache2, haproxy, postfix, dovecot)."
		}
		return ""
	}
	for _, c := range read {
		parts = append(parts, sayCertificate(c.certificate, time.Now()))
	}
	if unread > 0 {
		parts = append(parts, fmt.Sprintf("%s could not be read.", count(unread, "certificate")))
	}
	return paragraph(parts)
}

func sayCertificate(c certificate, now time.Time) string {
	days := int(c.end.Sub(now).Hours() / 24)
	day := c.end.Format("2006-01-02")
	switch {
	case c.end.Before(now):
		return fmt.Sprintf("**%s has expired** on %s.", code(c.subject), day)
	case days < 30:
		return fmt.Sprintf("**%s ends in %s**, on %s.", code(c.subject), count(days, "day"), day)
	}
	return fmt.Sprintf("%s is valid for another %s, until %s.", code(c.subject), count(days, "day"), day)
}
