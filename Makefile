# nod's build. `make` alone lists the targets.

GO       ?= go
BIN      := bin/nod
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS  := -s -w -X main.version=$(VERSION)
LINT     := $(GO) tool -modfile=.tools/go.mod golangci-lint
VULN     := $(GO) tool -modfile=.tools/go.mod govulncheck
FUZZTIME ?= 60s
# Tests wait more than they compute: more of them at once than there are processors, and
# three packages, of which the one that takes the longest begins.
PARALLEL ?= 4
# The race detector looks at all but SQLite, QuickJS and their C library as Go, and what
# only computes: expressions that match, and the arithmetic of keys. Nobody shares the
# memory that these write; the detector would see nothing there, and takes long.
UNSHARED := modernc.org/sqlite/lib modernc.org/libc modernc.org/libquickjs regexp regexp/syntax \
            crypto/internal/fips140/... filippo.io/edwards25519/... golang.org/x/crypto/blowfish
RACE     := -race $(foreach p,$(UNSHARED),-gcflags=$(p)=-race=false)
PACKAGES ?= 3
FORMS    ?= 16
BENCH    ?= .
DOCS     ?= .docs

.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build nod, get what is missing, open the console
	@.ci/deps --optional
	@$(BIN) $(ARGS)

build: ## build bin/nod, static, and print its size
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/nod
	@stat -c '$(BIN): %s bytes' $(BIN) 2>/dev/null || stat -f '$(BIN): %z bytes' $(BIN)

packages: ## each package, and what it is in a sentence
	@$(GO) list -f '{{.ImportPath}}: {{.Doc}}' ./... | sed 's,^github.com/nod-console/nod/,,'

layers: ## draw which package stands on which
	@$(GO) test -count=1 -run '^TestLayersAreDrawn$$' -v ./cmd/nod | sed -n 's/^ *layers_test.go:[0-9]*: //p'

deps: ## install the programs that nod and its tests use (Debian)
	@.ci/deps

test: ## all tests, with the race detector, real tmux and real shells
	@.ci/deps
	GORACE=atexit_sleep_ms=0 $(GO) test $(RACE) -vet=off -p $(PACKAGES) -parallel $(PARALLEL) -timeout 30m ./cmd/nod ./...

race-flags: ## what the tests are compiled with
	@echo '$(RACE)'

e2e: build ## the long tests: full counts and soaks
	@.ci/deps
	NOD_E2E=1 NOD_TEST_ALL=1 $(GO) test -timeout 60m ./...

evidence: ## run forms of the risk tables' programs, traced: none may write (FORMS=0: all; OF="nm size": of these)
	NOD_EVIDENCE=$(FORMS) NOD_EVIDENCE_OF="$(OF)" $(GO) test ./tools/risk -run 'TestEvidence$$' -count=1 -v -timeout 120m

bench: ## run the benchmarks, and the emulator and the console beside their peers
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...
	cd .bench && $(GO) run . && $(GO) run ./consoles

mcp-conformance: ## the client part of MCP's conformance suite, by npx
	@command -v npx >/dev/null || { echo "npx is missing: install Node.js and npm"; exit 1; }
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	  $(GO) test -c -o "$$dir/mcp.test" ./tools/plugin/mcp && cp tools/plugin/mcp/testdata/conformance.yml "$$dir" && cd "$$dir" && \
	  { npx --yes -p node@22 -p @modelcontextprotocol/conformance@0.1.16 conformance client --suite all \
	    --command "$$dir/mcp.test conform" --expected-failures conformance.yml -o out >log 2>&1; status=$$?; \
	    sed -n '/=== SUITE SUMMARY ===/,$$p' log; test $$status = 0 || { tail -40 log; exit 1; }; }

fuzz: ## fuzz each target for FUZZTIME
	@.ci/fuzz $(FUZZTIME)

mutants: ## plant faults, one at a time: a test must find each
	@$(GO) run -C .tools ./mutants

precheck: ## formatting, and that each fault of mutants can be planted
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not formatted:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	@$(GO) run -C .tools ./mutants -check
	@$(GO) vet -C .tools/shots . && $(GO) test -C .tools/shots .
	@$(GO) vet -C .tools/docs . && $(GO) test -C .tools/docs -count=1 .

lint: precheck ## precheck, and the linters
	$(LINT) run ./...

cross: ## build and vet for the other systems
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	GOOS=darwin GOARCH=amd64 $(GO) build ./...
	GOOS=freebsd GOARCH=amd64 $(GO) vet ./...
	GOOS=linux GOARCH=arm64 $(GO) build ./...

fmt: ## format the code
	@gofmt -w $$(git ls-files '*.go')

vuln: ## look for known vulnerabilities that the code reaches
	$(VULN) ./...

shots: build ## take the pictures of the documents anew, from the real screen
	@$(GO) run -C .tools/shots . -nod $(CURDIR)/$(BIN) -out $(CURDIR)/.shots

photographs: build ## play the scenes in each real terminal installed, at four sizes, dark and light: into .photographs
	@mkdir -p $(CURDIR)/.photographs && $(GO) build -C .tools/shots -o $(CURDIR)/.photographs/shots .
	@$(CURDIR)/.photographs/shots -nod $(CURDIR)/$(BIN) -real $(CURDIR)/.photographs

docs: build ## write the topics, the commands' help and the keys as static HTML into DOCS (.docs)
	@NOD=$(CURDIR)/$(BIN) $(GO) test -C .tools/docs -count=1 .
	@$(GO) run -C .tools/docs . -nod $(CURDIR)/$(BIN) -shots $(CURDIR)/.shots -out $(abspath $(DOCS))

redact-rules: ## renew what package redact takes from gitleaks: rules and fixtures
	cd .tools/redact && $(GO) run . rules > gitleaks.new && mv gitleaks.new ../../agent/redact/gitleaks.toml
	cd .tools/redact && $(GO) run . fixtures | gzip -9n > ../../agent/redact/testdata/gitleaks.jsonl.gz

redact-rates: ## how much of gitleaks' fixtures is found, and with TRUFFLEHOG=checkout of trufflehog's
	@tmp=$$(mktemp -d) && trap 'rm -r "$$tmp"' EXIT && cd .tools/redact && $(GO) run . fixtures > "$$tmp/gitleaks" && \
	{ test -z "$(TRUFFLEHOG)" || $(GO) run . fixtures "$(abspath $(TRUFFLEHOG))" > "$$tmp/trufflehog"; } && cd ../.. && \
	NOD_REDACT_FIXTURES="$$tmp/gitleaks$(if $(TRUFFLEHOG),:$$tmp/trufflehog)" $(GO) test ./agent/redact -count=1 -run 'TestRates$$' -v | grep ' of '

generate: ## renew generated files
	$(GO) generate ./...

check: lint test ## what has to pass before a commit

.PHONY: precheck help run build packages layers deps test race-flags e2e evidence bench mcp-conformance fuzz mutants lint cross fmt vuln shots photographs docs redact-rules redact-rates generate check
