# skyjoin. `make demo` and `make test` are all a newcomer needs; both work on a
# machine that has Go and nothing else.

GO      ?= go
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
TOOL     = $(GO) tool -modfile=internal/tools/go.mod

.PHONY: all build demo test test-all test-race lint generate bench bench-peers clean

all: build

# The command: bin/cluster.
build:
	$(GO) build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/cluster ./cmd/cluster

# A mock Gaia field with true memberships, clustered on sky, proper motion and
# parallax: demo/field.parquet in, demo/labelled.parquet and demo/map.png out.
demo: build
	./demo.sh

# Everything that needs no GPU, without the slow tests.
test:
	$(GO) test -short ./...

# The slow tests too.
test-all:
	$(GO) test -timeout 30m ./...

test-race:
	$(GO) test -short -race ./...

# Formatting, vet, staticcheck, and builds that must not need CUDA or cgo.
lint:
	@bad=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$bad" ]; then echo "not gofmt'ed: $$bad"; exit 1; fi
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	$(GO) mod tidy -diff
	$(GO) build ./...
	CGO_ENABLED=0 $(GO) build ./...
	CGO_ENABLED=0 GOARCH=arm64 $(GO) vet ./internal/... ./neighbors/... ./dbscan/...

# Generated code; tests compare it with what is committed.
generate:
	$(GO) generate ./...

# Go benchmarks of kernels, joins, clustering, readers and writers.
bench:
	$(GO) test -run '^$$' -bench . -benchmem ./neighbors/... ./dbscan/... ./internal/kernel/... ./io/...

# The same joins by us and by Debian's packages, in one run, as ratios
# (python3-scipy python3-sklearn libnanoflann-dev libann-dev r-cran-dbscan).
bench-peers:
	./bench/table.py

clean:
	rm -rf bin demo
