# make cluster       a real control plane with ten nodes, until ctrl-c
# make check         to run while you work: format, lint with vet, quick unit tests
# make test          everything that CI runs
# make lint          golangci-lint in both modules, and the shape of the code
# make fuzz          broken files for every loader of files and broken answers, 20 s each
# make screenshots   the pictures in docs/screenshots, from what the dashboard shows
# make docs          the documentation as static pages into dist/docs; fails at a link that leads nowhere
# make bench         the figures of docs/performance.md
# make scale         the dashboard on a large random cluster: NODES=n PODS=n PENDING=n SEED=n, beside a bare
#                    informer and PEERS="k9s=PATH"; GROWTH=1: at 100, 1,000, 5,000 nodes; SERVE=1: only the cluster
# make faults        every way in which the link, the server or its data break, for FAULT=1m each
# make difftest      random clusters against the real scheduler: SEEDS=n, FIRST=n
# make versions      the same against control planes of older minor versions
# make soak          every long check at its full length: SOAK=1h of change, SEEDS=n clusters, fuzzing
# make release-snapshot  archives and packages for all platforms into dist/release, unpublished
# make platforms     vet and test binaries for all platforms: PLATFORMS="os/arch …"; long the first time
# make reproducible  builds the program twice and compares the bytes: FRESH=1 into empty caches
# make bare-container  an answer from a release archive where nothing else is, step by step: ARCHIVE=FILE
# make control-plane the binaries that all of these run, into e2e/bin; VERSION=1.36: an older one too, into e2e/bin/1.36
#                    make prometheus: those of the test of metrics

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

SEEDS ?= 100
FIRST ?= 1
SOAK  ?= 1h
FAULT ?= 1m
NODES ?= 5000
PODS  ?= 50000
PENDING ?= 200
SEED  ?= 0
PEERS ?=
GOLANGCI_LINT ?= v2.15.0
GORELEASER    ?= v2.15.1
CYCLONEDX     ?= v1.10.0

BIN := $(CURDIR)/e2e/bin
KUBERNETES := kube-apiserver kube-controller-manager kube-scheduler kubectl
VERSIONED := k8s.io/component-base/version
# Without its version a component refuses its own feature gates.
LDFLAGS := -X $(VERSIONED).gitVersion=v1.37.1 -X $(VERSIONED).gitMajor=1 -X $(VERSIONED).gitMinor=37
# Older minor versions, each built from a module of its own.
OLDER := $(notdir $(wildcard e2e/versions/1.*))
VERSION :=

.PHONY: release release-snapshot release-check platforms reproducible bare-container
.PHONY: all control-plane prometheus cluster check test fmt vet lint structure unit quick fuzz screenshots docs e2e bench scale faults difftest versions soak

all:
	go build ./...

# A stamp's name holds the hash of the module files, so a component is built
# again when its version changes and only then.
stamp = $(BIN)/.$(1)-$(firstword $(shell cat $(2)/go.mod $(2)/go.sum | cksum)).stamp
KUBERNETES_STAMP := $(call stamp,kubernetes,e2e)
ETCD_STAMP := $(call stamp,etcd,e2e/etcd)
KWOK_STAMP := $(call stamp,kwok,e2e/kwok)
PROMETHEUS_STAMP := $(call stamp,prometheus,e2e/prometheus)

older = $(call stamp,older-$(1),e2e/versions/$(1))

control-plane: $(KUBERNETES_STAMP) $(if $(VERSION),$(call older,$(VERSION))) $(ETCD_STAMP) $(KWOK_STAMP)

$(KUBERNETES_STAMP):
	@mkdir -p $(BIN)
	@for c in $(KUBERNETES); do \
		echo "building $$c"; \
		go build -C e2e -ldflags "$(LDFLAGS)" -o $(BIN)/$$c k8s.io/kubernetes/cmd/$$c; \
	done
	@rm -f $(BIN)/.kubernetes-*.stamp
	@touch $@

# kubectl, etcd and kwok are those of the newest.
define build-older
$(call older,$(1)):
	@mkdir -p $(BIN)/$(1)
	@release=$$$$(go list -C e2e/versions/$(1) -m -f '{{.Version}}' k8s.io/kubernetes); \
	for c in $(filter kube-%,$(KUBERNETES)); do \
		echo "building $$$$c $$$$release"; \
		go build -C e2e/versions/$(1) -ldflags "-X $(VERSIONED).gitVersion=$$$$release -X $(VERSIONED).gitMajor=1 -X $(VERSIONED).gitMinor=$(subst 1.,,$(1))" \
			-o $(BIN)/$(1)/$$$$c k8s.io/kubernetes/cmd/$$$$c; \
	done
	@rm -f $(BIN)/.older-$(1)-*.stamp
	@touch $$@
endef
$(foreach v,$(OLDER),$(eval $(call build-older,$(v))))

$(ETCD_STAMP):
	@mkdir -p $(BIN)
	@echo building etcd
	go build -C e2e/etcd -o $(BIN)/etcd go.etcd.io/etcd/server/v3
	@rm -f $(BIN)/.etcd-*.stamp
	@touch $@

$(KWOK_STAMP):
	@mkdir -p $(BIN)
	@echo building kwok
	go build -C e2e/kwok -o $(BIN)/kwok sigs.k8s.io/kwok/cmd/kwok
	@stages=$$(go list -C e2e/kwok -m -f '{{.Dir}}' sigs.k8s.io/kwok)/kustomize/stage; \
	for s in node/fast/node-initialize node/heartbeat-with-lease/node-heartbeat-with-lease \
		pod/fast/pod-ready pod/fast/pod-complete pod/fast/pod-delete; do \
		cat $$stages/$$s.yaml; printf '\n---\n'; \
	done > $(BIN)/kwok-stages.yaml
	@rm -f $(BIN)/.kwok-*.stamp
	@touch $@

# Without the service discovery of clouds, which is most of what there is to compile,
# and without the web pages.
$(PROMETHEUS_STAMP):
	@mkdir -p $(BIN)
	@echo building prometheus
	@for c in prometheus promtool; do \
		go build -C e2e/prometheus -tags remove_all_sd -o $(BIN)/$$c github.com/prometheus/prometheus/cmd/$$c; \
	done
	@rm -f $(BIN)/.prometheus-*.stamp
	@touch $@

prometheus: $(PROMETHEUS_STAMP)

cluster: control-plane
	go build -C e2e -o $(BIN)/cluster ./cmd/cluster
	exec $(BIN)/cluster

# The linter does what vet does, and more.
check: fmt
	@$(MAKE) --no-print-directory -j2 lint quick

# Fuzzing compiles all of Kubernetes once more, instrumented: unit runs its corpora.
# The linter does what vet does, and more: see govet in .golangci.yml. It takes what the
# end-to-end tests leave of the processors, for they mostly wait.
test: structure unit docs
	@mkdir -p $(BIN)
	@nice -n 19 $(MAKE) lint >$(BIN)/lint.log 2>&1 & linter=$$!; failed=0; \
	$(MAKE) e2e || failed=1; \
	wait $$linter || failed=1; \
	cat $(BIN)/lint.log; \
	exit $$failed

# Says what gofumpt would change; changes nothing.
fmt: $(BIN)/golangci-lint-$(GOLANGCI_LINT)
	$< fmt --diff ./...
	cd e2e && $< fmt --diff ./...

vet:
	go vet ./...
	cd e2e && go vet ./...

$(BIN)/golangci-lint-$(GOLANGCI_LINT):
	@mkdir -p $(BIN)/lint
	GOFLAGS= GOBIN=$(BIN)/lint go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT)
	mv $(BIN)/lint/golangci-lint $@

# Package sizes, methods per type, and what may stand at the top level.
structure:
	.ci/structure

lint: structure $(BIN)/golangci-lint-$(GOLANGCI_LINT)
	$(lastword $^) run --allow-parallel-runners ./...
	cd e2e && $(lastword $^) run --allow-parallel-runners ./...

unit:
	go test -race -vet=off -timeout 30m ./...

# Without the race detector and without the tests that take long by nature. Slow tests mostly wait: more packages at
# once than processors.
quick:
	go test -short -vet=off -p 4 ./...

# Each loader of files, and the decoder of answers, for so long.
FUZZTIME ?= 20s
fuzz:
	@for f in kube/snapshot/FuzzReadYAML kube/snapshot/FuzzReadJSON kube/snapshot/FuzzReadPacked cli/manifest/FuzzReadManifest \
		explain/scheduler/FuzzConfiguration demo/lessons/FuzzReadGivesALessonOrOneLine kube/client/strip/FuzzPruned; do \
		go test -run '^$$' -fuzz "^$${f##*/}$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x ./$${f%/*}; \
	done

screenshots:
	go test ./cli/session -run 'TestScreenshots|TestTheTour' -update

# The page that opens is dist/docs/index.html. Hugo is Debian's package hugo, 0.111 or newer.
docs:
	hugo --quiet --noBuildLock --config docs/site/hugo.yaml --destination dist/docs --cleanDestinationDir

# Where make prometheus has built a Prometheus, it scrapes, too.
e2e: control-plane
	cd e2e && go test -v -vet=off -timeout 40m -count 1 ./...

bench:
	go test -run '^$$' -bench . -benchmem -timeout 60m ./...

# SEED=0 draws another cluster each time and prints its seed. The program is built as releases are.
scale: control-plane
	go build -C e2e -o $(BIN)/scale ./cmd/scale
	.ci/release-build $(BIN)/kubectl-fathom v0.0.0-scale
	exec $(BIN)/scale -binary $(BIN)/kubectl-fathom -nodes $(NODES) -pods $(PODS) -pending $(PENDING) -seed $(SEED) \
		-peers "$(PEERS)" $(if $(GROWTH),-growth) $(if $(SERVE),-serve)

FAULTS := TestFaults|TestTheScreenSaysWhenItIsNotLive|TestTheFirstFrameComesAtAnyLatency|TestDashboard$$
faults: control-plane
	go test -count 1 ./kube/client ./kube/cluster ./kube/act
	cd e2e && go test -timeout 0 -count 1 -v -run '$(FAULTS)' . -args -fault $(FAULT) -recovery 10s

difftest: control-plane
	cd e2e && go test -timeout 0 -count 1 -v -run TestMessages . -args -seeds $(SEEDS) -first $(FIRST)

# The messages of each older minor version, whose words may be others.
versions: control-plane $(foreach v,$(OLDER),$(call older,$(v)))
	@for v in $(OLDER); do \
		(cd e2e && go test -timeout 0 -count 1 -v -run TestMessages . -args -kubernetes $$v -seeds $(SEEDS) -first $(FIRST)); \
	done

soak: control-plane prometheus fuzz versions
	cd e2e && go test -timeout 0 -count 1 -v . -args -seeds $(SEEDS) -fixes $(SEEDS) -busyfixes 300 -drains 30 -losses 10 -fits 30 -gangs 20 -workloads 300 -snapshots 20 -first $(FIRST) -soak $(SOAK) -random-keys 10m

# The tools that build releases. Neither they nor what they need is in go.mod.
RELEASE_TOOLS := $(BIN)/goreleaser-$(GORELEASER) $(BIN)/cyclonedx-gomod-$(CYCLONEDX)
GORELEASE = PATH="$(BIN)/release:$$PATH" $(ORIGIN) $(BIN)/goreleaser-$(GORELEASER)
# Goreleaser gives a clone without a remote no commit and no date.
ORIGIN = $(if $(shell git remote),,GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url \
	GIT_CONFIG_VALUE_0=https://github.com/kubectl-fathom/kubectl-fathom)

$(BIN)/goreleaser-$(GORELEASER):
	@mkdir -p $(BIN)/release
	CGO_ENABLED=0 GOFLAGS= GOBIN=$(BIN)/release go install github.com/goreleaser/goreleaser/v2@$(GORELEASER)
	cp $(BIN)/release/goreleaser $@

$(BIN)/cyclonedx-gomod-$(CYCLONEDX):
	@mkdir -p $(BIN)/release
	CGO_ENABLED=0 GOFLAGS= GOBIN=$(BIN)/release go install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$(CYCLONEDX)
	cp $(BIN)/release/cyclonedx-gomod $@

release-check: $(RELEASE_TOOLS)
	$(GORELEASE) check

# Needs no network once the tools and the modules are here. Krew's manifest is for
# addresses that a release of this version would have.
release-snapshot: $(RELEASE_TOOLS)
	$(GORELEASE) release --snapshot --clean --skip=sign,publish --timeout 3h
	.ci/release-test dist/release

# A tag's, as a draft: see .github/workflows/release.yml. Signed if there is a key.
release: $(RELEASE_TOOLS)
	$(GORELEASE) release --clean --timeout 3h $(if $(COSIGN_PRIVATE_KEY),,--skip=sign)
	.ci/release-test dist/release

# The platforms of .goreleaser.yaml. The flags are a release's, so that what it
# compiled is compiled once. Test binaries are linked, and not run.
PACKAGES  ?= ./...
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
platforms:
	@for p in $(PLATFORMS); do \
		echo "vet and test binaries for $$p"; \
		export CGO_ENABLED=0 GOFLAGS="-trimpath -buildvcs=false -tags=grpcnotrace" GOOS=$${p%/*} GOARCH=$${p#*/}; \
		go vet $(PACKAGES); \
		go test -vet=off -ldflags="-s -w" -exec true $(PACKAGES); \
	done

# Needs root. By default with what make release-snapshot has left.
ARCHIVE ?= $(wildcard dist/release/kubectl-fathom_*_linux_$(shell go env GOHOSTARCH).tar.gz)
bare-container: control-plane
	.ci/bare-container $(ARCHIVE)

# FRESH=1 compiles everything twice, into empty caches, in place of linking twice.
reproducible:
	.ci/reproducible $(if $(FRESH),--fresh)
