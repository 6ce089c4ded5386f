package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// page is a document as text.
type page struct {
	title string
	text  string
}

// errBinary says that a document is no text.
var errBinary = errors.New("binary")

// texts are the types beside text/… that are text.
var texts = []string{
	"application/json", "application/ld+json", "application/xml", "application/xhtml+xml", "application/rss+xml", "application/atom+xml",
	"application/javascript", "application/ecmascript", "application/x-javascript", "application/yaml", "application/x-yaml", "application/toml",
	"application/x-sh", "application/x-ndjson", "application/sql", "application/graphql", "image/svg+xml", "message/rfc822",
}

// readPage makes text of what a server sent. The error is errBinary, or says why
// a page cannot be read.
func readPage(body []byte, kind string, at *url.URL) (page, error) {
	media, _, err := mime.ParseMediaType(kind)
	if err != nil || media == "application/octet-stream" || media == "" {
		kind = http.DetectContentType(body)
		media, _, _ = mime.ParseMediaType(kind) // it makes no others
	}
	isText := strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml")
	for _, t := range texts {
		isText = isText || media == t
	}
	wide := bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) || strings.Contains(strings.ToLower(kind), "utf-16")
	if !isText || bytes.IndexByte(body, 0) >= 0 && !wide {
		return page{}, errBinary
	}
	text := decode(body, kind)
	if media == "text/html" || media == "application/xhtml+xml" {
		return markdown(text, at)
	}
	return page{text: strings.ReplaceAll(text, "\r\n", "\n")}, nil
}

// decode makes UTF-8 of a text in the charset that its type, a mark at its
// beginning or the page itself names.
func decode(body []byte, kind string) string {
	r, err := charset.NewReader(bytes.NewReader(body), kind)
	if err == nil {
		var text []byte
		if text, err = io.ReadAll(r); err == nil {
			body = text
		}
	}
	return strings.TrimPrefix(strings.ToValidUTF8(string(body), "\uFFFD"), "\uFEFF")
}

// unseen is what a reader of a page does not see, or does not read.
const unseen = `script, style, noscript, template, iframe, object, embed, svg, canvas, form, dialog, nav, [hidden], [aria-hidden="true"], ` +
	`[style*="display:none"], [style*="display: none"], [style*="visibility:hidden"], [style*="visibility: hidden"]`

// markdown makes Markdown of a page: of its main part, if it names one.
func markdown(text string, at *url.URL) (page, error) {
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(text))
	if err != nil {
		return page{}, fmt.Errorf("the page cannot be read: %w", err)
	}
	p := page{title: strings.Join(strings.Fields(doc.Find("title").First().Text()), " ")}
	domain := at.Scheme + "://" + at.Host
	if href, ok := doc.Find("base[href]").First().Attr("href"); ok {
		if base, err := at.Parse(href); err == nil {
			at = base
		}
	}
	doc.Find(unseen).Remove()
	doc.Find("a[href], img[src]").Each(func(_ int, s *goquery.Selection) { absolute(s, at) })
	part := doc.Find("main").First()
	if articles := doc.Find("article"); part.Length() == 0 && articles.Length() == 1 {
		part = articles
	}
	if part.Length() == 0 || len(strings.TrimSpace(part.Text())) == 0 {
		part = doc.Find("body").First()
	}
	if part.Length() == 0 {
		return p, nil
	}
	conv := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	root := &html.Node{Type: html.DocumentNode}
	root.AppendChild(detached(part.Nodes[0]))
	out, err := conv.ConvertNode(root, converter.WithDomain(domain))
	if err != nil {
		return page{}, fmt.Errorf("the page cannot be read: %w", err)
	}
	p.text = strings.TrimSpace(blankLines().ReplaceAllString(string(out), "\n\n")) + "\n"
	return p, nil
}

var blankLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n[ \t]*\n(?:[ \t]*\n)+`) })

// detached is a node without what stands around it.
func detached(n *html.Node) *html.Node {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
	return n
}

// absolute makes the link of an element absolute; one that leads to no page is
// taken away.
func absolute(s *goquery.Selection, at *url.URL) {
	for _, name := range []string{"href", "src"} {
		link, ok := s.Attr(name)
		if !ok {
			continue
		}
		to, err := at.Parse(strings.TrimSpace(link))
		if err != nil || to.Scheme != "http" && to.Scheme != "https" && to.Scheme != "mailto" {
			s.RemoveAttr(name)
			continue
		}
		s.SetAttr(name, to.String())
	}
}
