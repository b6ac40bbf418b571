# skyjoin. `make demo` and `make test` are all a newcomer needs; both work on a
# machine that has Go and nothing else, and use a C compiler where there is one.

GO      ?= go
# "HASH TIME" of the commit, which archives of the source have in the file COMMIT.
COMMIT  := $(shell cat COMMIT 2>/dev/null || git show -s --date=iso-strict-local --format="%H$$(test -z "$$(git status --porcelain 2>/dev/null)" || echo -dirty) %cd" 2>/dev/null)
TOOL     = $(GO) tool -modfile=internal/tools/go.mod

# GPU support is built in on Linux where there is a C compiler; neither CUDA nor
# a driver has to be installed. GPU=no leaves it out. Go does not look into
# headers outside of a package for changes, hence HEADER_REV.
CUDA_INCLUDE := $(CURDIR)/internal/cuda/include
HEADER_REV   := $(shell sha256sum '$(CUDA_INCLUDE)/cuda.h' 2>/dev/null | cut -c1-16)
CUDA_ENV      = CGO_ENABLED=1 CGO_CFLAGS="'-I$(CUDA_INCLUDE)' -O2 -g -DHEADER_REV=$(HEADER_REV)"
ifndef GPU
  GPU := $(shell '$(CURDIR)/internal/cuda/available.sh' $(GO))
endif
ifeq ($(GPU),yes)
  GPU_BUILD = $(CUDA_ENV) $(GO) build -tags cuda
else
  GPU_BUILD = $(GO) build
endif

.PHONY: all build demo test test-go test-all test-race test-emulator test-gpu test-slurm fuzz library python test-python lint generate kernels notebooks bench bench-choice bench-peers bench-pairs bench-hybrid release test-release sizes module clean

all: build

# The command: bin/cluster.
build:
ifneq ($(GPU),yes)
	@echo "bin/cluster is built for the CPU only: $(GPU)"
endif
	$(GPU_BUILD) -trimpath -ldflags '-s -w -X "main.commit=$(COMMIT)"' -o bin/cluster ./cmd/cluster

# The C library of capi/skyjoin.h, which Python uses: bin/libskyjoin.so. It exports
# what capi/exports.map lists and nothing else.
library:
	$(GPU_BUILD) -buildmode=c-shared -trimpath -ldflags "-s -w -extldflags '-Wl,--version-script=$(CURDIR)/capi/exports.map -Wl,-soname,libskyjoin.so.1'" -o bin/libskyjoin.so ./capi
	@rm -f bin/libskyjoin.h

# The wheel of the Python package, in bin.
PYTHON ?= /usr/bin/python3
python:
	@cd python/build_backend && $(PYTHON) -c "import skyjoin_build; print('bin/' + skyjoin_build.build_wheel('../../bin'))"

# The script of the pages to explore, bundled from internal/page/_web with the libraries
# that package-lock.json names, by hash (node and npm). It is committed: with CHECK=yes it
# is compared with what is there.
WEB := internal/page/_web
.PHONY: web bench-web web-shots
web:
	cd $(WEB) && npm ci --ignore-scripts --no-audit --no-fund && node build.mjs $(if $(CHECK),$(CURDIR)/bin/page.js)
	$(if $(CHECK),cmp bin/page.js internal/page/asset/page.js)

# A page of a million rows in Chromium, which draws in software: how long it takes to load,
# and to follow a brush. web-shots takes the pictures of docs/explore.md.
bench-web:
	$(GO) test ./cmd/cluster -run 'TestBenchWeb$$' -count 1 -v -web.rows 1000000
web-shots:
	$(GO) test ./cmd/cluster -run 'TestShots$$' -count 1 -web.shots '$(CURDIR)/docs'

# The Python package, installed into a virtual environment, beside scikit-learn and
# astropy (python3-venv python3-pytest python3-sklearn python3-astropy).
test-python: build
	SKYJOIN_COMMAND=$(CURDIR)/bin/cluster PYTHON=$(PYTHON) python/test.sh

# A mock Gaia field with true memberships, clustered on sky, proper motion and
# parallax: demo/field.parquet in, demo/labelled.parquet and demo/map.png out.
demo: build
	./demo.sh

# Everything that needs no GPU, without the slow tests. The emulator uses one
# core, so the rest runs beside it.
test:
	$(MAKE) --no-print-directory -j2 --output-sync=target test-emulator test-go

test-go:
	$(GO) test -short -timeout 30m ./...

# The slow tests too.
test-all: SHORT =
test-all: test-emulator
	$(GO) test -timeout 60m ./...

test-race:
	$(GO) test -short -race ./...

# Every fuzz target for FUZZ_SECONDS of CPU time, from what bin/fuzzed has of
# earlier runs; what crashes is left in bin/fuzzed/crashers. bin/fuzz can be carried
# to another machine, see internal/tools/fuzz.sh.
FUZZ_SECONDS ?= 60
fuzz:
	GO='$(GO)' internal/tools/fuzz.sh build bin/fuzz
	bin/fuzz/fuzz.sh run bin/fuzz bin/fuzzed $(FUZZ_SECONDS)

# The notebooks from start to end (python3-ipykernel jupyter-nbconvert);
# notebooks/run.sh --update writes what they show into them.
notebooks: build library
	notebooks/run.sh

# The GPU code on an emulator: the kernels compiled by g++ behind a driver that
# is none. See docs/gpu.md.
SHORT = -short
test-emulator:
ifneq ($(GPU),yes)
	@echo "the GPU code is not tested: $(GPU)"
else ifeq ($(shell command -v g++),)
	@echo "the GPU code is not tested: there is no g++"
else
	$(CUDA_ENV) $(GO) test $(SHORT) -timeout 20m -tags cuda ./internal/cuda/... ./gpu/...
	$(CUDA_ENV) $(GO) test $(SHORT) -tags cuda -run 'Device|GPU' ./cmd/cluster/...
endif

# The GPU code on the card of this machine, then a part of it under the memory
# and race checkers of CUDA. The test binaries can be carried to another machine.
test-gpu:
	$(CUDA_ENV) GO='$(GO)' gpu/test-gpu.sh

# Tables and figures of published papers at a small scale, into bin/reproduced: what
# needs a GPU only where there is one. SCALE=1 takes hours, and goes on where it was.
SCALE ?= 0.02
.PHONY: reproduce
reproduce: build
	for p in 000 001 002 003 004; do bin/cluster reproduce $$p --scale $(SCALE) -o bin/reproduced/$(SCALE) --resume -q >/dev/null || exit; done

# Tiles on a Slurm of this machine's own: apt-get install slurm-wlm munge.
test-slurm: build
	tiles/test-slurm.sh bin/cluster

# Tables from a real TAP service on this machine: apt-get install gavodachs2-server.
.PHONY: test-tap
test-tap: build
	internal/vo/test-dachs.sh bin/cluster

# The results of the 2-body paper on the card of this machine, as Markdown
# tables: about two minutes; with several GPUs PAIRS=cards shares 20M points
# among 1, 2, 4 of them. The binary can be carried to another machine.
bench-pairs:
	$(CUDA_ENV) GO='$(GO)' gpu/bench-pairs.sh

# The peak of every command by size and shape of catalogs and --memory, an hour.
.PHONY: memory
memory:
	$(GO) test -run 'TestMemoryTable$$' -timeout 5h ./cmd/cluster -memory.rows 1e5,1e6,4e6 -memory.shapes 3

# The figures of docs/figures.md, drawn again by its commands; the tests compare them.
.PHONY: gallery
gallery:
	$(GO) test ./cmd/cluster -run 'TestDocs/docs/figures.md' -update-docs

# Formatting, vet, staticcheck, and builds that must not need CUDA or cgo.
lint:
	@bad=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$bad" ]; then echo "not gofmt'ed: $$bad"; exit 1; fi
	$(GO) vet ./...
ifeq ($(GPU),yes)
	$(CUDA_ENV) $(GO) vet -tags cuda ./internal/cuda/... ./gpu/... ./hybrid ./cmd/cluster/...
endif
	$(TOOL) staticcheck ./...
ifeq ($(GPU),yes)
	$(CUDA_ENV) $(TOOL) staticcheck -tags cuda ./internal/cuda/... ./gpu/... ./hybrid ./cmd/cluster/...
endif
	$(GO) mod tidy -diff
	$(GO) build ./...
	CGO_ENABLED=0 $(GO) build ./...
	CGO_ENABLED=0 GOARCH=arm64 $(GO) vet ./internal/... ./neighbors/... ./dbscan/...

# Generated code; tests compare it with what is committed.
generate:
	$(GO) generate ./...

# The kernels' images, which are committed with the hashes of their sources. Their
# bytes depend on the compiler, so they are made with that of CUDA 11.8 only.
NVCC        ?= nvcc
KERNELS_OUT ?= $(CURDIR)/gpu/kernels
kernels:
	@$(NVCC) --version 2>/dev/null | grep -q 'release 11\.8,' || { \
	  echo "make kernels needs nvcc of CUDA 11.8 (NVCC=/path/to/nvcc); $(NVCC) is $$($(NVCC) --version 2>/dev/null | grep release || echo not there)"; exit 1; }
	mkdir -p '$(KERNELS_OUT)/published'
	cd gpu/kernels && sha256sum *.cu *.cuh published/*.cu nvcc.flags >'$(KERNELS_OUT)/kernels.sum'
	cd gpu/kernels && for image in sm_70.cubin sm_75.cubin sm_80.cubin sm_86.cubin sm_89.cubin sm_90.cubin compute_90.ptx; do \
	  for of in kernels published/published; do \
	    $(NVCC) -optf nvcc.flags -I. -$${image#*.} -arch=$${image%.*} -o '$(KERNELS_OUT)'/$${of%$${of##*/}}$$image $$of.cu || exit 1; \
	  done; \
	done
	cd '$(KERNELS_OUT)' && sha256sum *.cubin *.ptx published/*.cubin published/*.ptx >>kernels.sum && zstd -19 -f --rm *.cubin *.ptx published/*.cubin published/*.ptx

# Go benchmarks of kernels, joins, clustering, readers and writers.
bench:
	$(GO) test -run '^$$' -bench . -benchmem ./neighbors/... ./dbscan/... ./internal/kernel/... ./io/...

# Every algorithm of the CPU beside the one that is chosen, over sizes, dimensions,
# densities and kinds of data, as CSV and a Markdown table: about half an hour.
# CHOICE has flags, as in CHOICE='-n 1e6 -d 3 -s 60'; the binary is static and
# can be carried to another machine.
bench-choice:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o bin/choice ./bench/choice
	@$(CXX) $(NANOFLANN) -o bin/nanoflann bench/peers/nanoflann.cpp 2>/dev/null || { \
	  rm -f bin/nanoflann; echo "without nanoflann: no $(CXX), or no nanoflann.hpp (Debian: libnanoflann-dev)"; }
	bin/choice -o bin/choice.csv $(CHOICE)
	@[ ! -x bin/nanoflann ] || { bench/choice/nanoflann.sh bin/choice bin/nanoflann bin/nanoflann.csv && bin/choice -tables bin/nanoflann.csv; }

# Distances are added up as in our joins, so that counts must be equal.
NANOFLANN = -std=c++17 -O3 -march=x86-64-v3 -ffp-contract=off -static -pthread

# The same joins by us and by Debian's packages, in one run, as ratios
# (python3-scipy python3-sklearn libnanoflann-dev libann-dev r-cran-dbscan).
bench-peers:
	./bench/table.py

# Joins on the CPU and GPUs of this machine together beside either alone, as
# Markdown tables; it takes about 380 s. bin/hybrid.test can be carried to
# another machine.
bench-hybrid:
	$(CUDA_ENV) $(GO) test -tags cuda -c -o bin/hybrid.test ./hybrid
	bin/hybrid.test -test.run '^TestTables$$' -test.v -sections all

# What is handed out, in bin/release: see docs/release.md. RELEASE chooses targets, as in
# RELEASE=linux/amd64, and MODULE the path of the library in the archive for go get.
release:
	$(GO) run ./internal/release -o bin/release -targets '$(RELEASE)' -module '$(MODULE)'

# Another path for the module, in all files: make module MODULE=host/owner/skyjoin.
module:
	$(GO) run ./internal/release -rename '$(MODULE)'

# What the programs consist of, written into docs/release.md.
sizes:
	$(GO) run ./internal/release -sizes

# The Debian package of this machine, installed and run in an empty root.
test-release:
	$(GO) test ./internal/release

clean:
	rm -rf bin demo
