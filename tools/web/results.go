package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// errTest says that the engine wants to see a person.
var errTest = errors.New("it wants a test solved by a person; wait a while, or fetch a known page")

// readDuckDuckGo reads the page of results: by the names of its parts, or, if
// those have changed, by its links.
func readDuckDuckGo(body []byte, kind string) ([]Found, error) {
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(decode(body, kind)))
	if err != nil {
		return nil, fmt.Errorf("its page cannot be read: %w", err)
	}
	var all []Found
	doc.Find(".result").Not(".result--ad").Each(func(_ int, s *goquery.Selection) {
		link := s.Find("a.result__a").First()
		if to := target(link); to != "" {
			all = append(all, Found{Title: link.Text(), URL: to, Snippet: s.Find(".result__snippet").First().Text()})
		}
	})
	if len(all) > 0 || doc.Find(".no-results, .no-results__message").Length() > 0 {
		return all, nil
	}
	if doc.Find(`.anomaly-modal, .anomaly-modal__title, form[action*="anomaly"]`).Length() > 0 {
		return nil, errTest
	}
	return byLinks(doc), nil
}

// byLinks takes for a result whatever leads elsewhere and has words; the text
// around it is its snippet.
func byLinks(doc *goquery.Document) []Found {
	var all []Found
	doc.Find("script, style, header, footer, nav").Remove()
	doc.Find("a[href]").Each(func(_ int, link *goquery.Selection) {
		to, title := target(link), strings.Join(strings.Fields(link.Text()), " ")
		if to == "" || len(title) < 4 {
			return
		}
		around := strings.Join(strings.Fields(link.Parent().Parent().Text()), " ")
		all = append(all, Found{Title: title, URL: to, Snippet: strings.TrimSpace(strings.TrimPrefix(around, title))})
	})
	return all
}

// target is where a link of the engine's leads; empty if that is the engine
// itself or an advertisement.
func target(link *goquery.Selection) string {
	href, _ := link.Attr("href")
	u, err := url.Parse(strings.TrimSpace(href))
	if err != nil {
		return ""
	}
	if to := u.Query().Get("uddg"); to != "" {
		if u, err = url.Parse(to); err != nil {
			return ""
		}
	}
	if u.Scheme != "http" && u.Scheme != "https" || within(strings.ToLower(u.Hostname()), "duckduckgo.com") || within(strings.ToLower(u.Hostname()), "duck.com") {
		return ""
	}
	return u.String()
}

// readBrave reads what Brave's API answers. Its texts hold markup.
func readBrave(body []byte, _ string) ([]Found, error) {
	var said struct {
		Web struct {
			Results []struct {
				Title       string `json:"title"`
				URL         string `json:"url"`
				Description string `json:"description"`
			} `json:"results"`
		} `json:"web"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return nil, errors.New("its answer is not what Brave's API answers; try again, or fetch a page that you know")
	}
	var all []Found
	for _, r := range said.Web.Results {
		all = append(all, Found{Title: plain(r.Title), URL: r.URL, Snippet: plain(r.Description)})
	}
	return all, nil
}

// plain is a text without markup.
func plain(text string) string {
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(text))
	if err != nil {
		return text
	}
	return doc.Text()
}
