// Package enginetest has real container engines for tests: a Docker engine, and
// podman, that belong to the test process alone.
//
// An engine has a folder of its own for its data and its socket, a network
// namespace of its own, so that no network of the machine is touched, and ends
// with the process. Engines that are there already are neither used nor seen.
// Nothing comes from a registry: the images are made of Debian's busybox-static,
// and of a minimal Debian with tmux and bash, which is kept between runs in the
// user's cache folder.
//
// Without Linux, root or the programs the tests are skipped, but under CI=true
// (or NOD_TEST_ALL=1) they fail.
package enginetest
