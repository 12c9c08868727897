# A thin face on CMake and Ninja; `make help` lists what there is.
# SPDX-License-Identifier: BSD-3-Clause

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
CMAKE_OPTIONS ?=
JOBS ?= $(shell nproc)
# Whether `make sanitize` looks for leaks. On arm64 that takes LeakSanitizer 4 s at the end of each process, so there only
# those tests do it that ask for it themselves.
LEAKS ?= $(if $(filter x86_64,$(shell uname -m)),1,0)

CONFIGURE = cmake -S . -G Ninja $(CMAKE_OPTIONS)
CTEST = ctest --output-on-failure -j$(JOBS) --no-tests=error
demo_trace = $(BUILD)/demo/example

.DEFAULT_GOAL := build
.PHONY: build demo test bench install deb sanitize sanitize-threads clean help

build: $(BUILD)/build.ninja ## build the program, the library and their tests (the default)
	cmake --build $(BUILD)

# Ninja runs CMake again by itself when a file of the project asks for it. Where packages may just have been installed,
# below, CMake has to look again.
$(BUILD)/build.ninja:
	$(CONFIGURE) -B $(BUILD)

demo: ## install what is missing, build, and analyse an example
	scripts/install-dependencies build
	$(CONFIGURE) -B $(BUILD)
	cmake --build $(BUILD)
	rm -rf $(BUILD)/demo && mkdir $(BUILD)/demo
	$(BUILD)/examples/example_trace $(demo_trace)
	$(BUILD)/longpole analyze $(demo_trace)

test: ## install what is missing, build, and run all tests
	scripts/install-dependencies test
	$(CONFIGURE) -B $(BUILD)
	cmake --build $(BUILD)
	cd $(BUILD) && $(CTEST)

bench: build ## measure against the floor: what the OTF2 library alone takes
	bench/run $(BUILD)

install: build ## install to DESTDIR/PREFIX (PREFIX=/usr/local)
	DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

# A folder of its own, because where libraries go depends on the prefix at configuration: lib/TRIPLET below /usr.
deb: ## install what is missing, and make a Debian package, BUILD-deb/longpole_*.deb
	scripts/install-dependencies package
	$(CONFIGURE) -B $(BUILD)-deb -DCMAKE_INSTALL_PREFIX=/usr -DBUILD_TESTING=OFF -DLONGPOLE_BENCH=OFF
	cmake --build $(BUILD)-deb
	cd $(BUILD)-deb && rm -f *.deb && cpack -G DEB
	@ls $(BUILD)-deb/*.deb

sanitize: ## build with the address and undefined-behaviour sanitizers in BUILD-sanitize, and run all tests there
	scripts/install-dependencies test
	$(CONFIGURE) -B $(BUILD)-sanitize -DLONGPOLE_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG='-O1 -g'
	cmake --build $(BUILD)-sanitize
	cd $(BUILD)-sanitize && ASAN_OPTIONS=detect_leaks=$(LEAKS) $(CTEST)

sanitize-threads: ## build with the thread sanitizer in BUILD-threads, and run the tests that read traces there, on 4 threads
	scripts/install-dependencies test
	$(CONFIGURE) -B $(BUILD)-threads -DLONGPOLE_SANITIZE_THREADS=ON -DLONGPOLE_BENCH=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG='-O1 -g'
	cmake --build $(BUILD)-threads
	TSAN_OPTIONS=exitcode=66 LONGPOLE_THREADS=4 /usr/bin/python3 -B tests/reference/compare.py \
	    --longpole $(BUILD)-threads/longpole --work $(BUILD)-threads/compare --kind trace --seeds 0-33
	cd $(BUILD)-threads && TSAN_OPTIONS=exitcode=66 LONGPOLE_THREADS=4 $(CTEST) -R 'unit.base|unit.model|cli.good|example'

clean: ## remove everything that was built
	rm -rf $(BUILD) $(BUILD)-deb $(BUILD)-sanitize $(BUILD)-threads

help: ## this text
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 24
	@echo 'Variables: BUILD=$(BUILD) PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) JOBS=$(JOBS) LEAKS=$(LEAKS) CMAKE_OPTIONS=$(CMAKE_OPTIONS)'
