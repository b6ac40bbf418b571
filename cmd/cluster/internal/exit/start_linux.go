//go:build cgo

package exit

/*
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static const rlim_t addresses = 1900000; // KiB with which the runtime of Go starts
enum { threads = 12 };                   // that it starts, and some

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *wait_held(void *unused) {
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
	return unused;
}

// few reports whether so many threads cannot run at a time.
static int few(void) {
	pthread_t t[threads];
	int n = 0;
	pthread_mutex_lock(&held);
	while (n < threads && pthread_create(&t[n], NULL, wait_held, NULL) == 0)
		n++;
	pthread_mutex_unlock(&held);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return n < threads;
}

__attribute__((constructor)) static void start(void) {
	char text[256];
	int n = 0;
	struct rlimit r;
	if (getenv("SKYJOIN_CONFINED"))
		return; // its parent says what ends it
	if (getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY && r.rlim_cur / 1024 < addresses)
		n = snprintf(text, sizeof text, "cluster: the address space is limited to %llu KiB (ulimit -v), the program takes %llu to start; raise the limit\n",
			(unsigned long long)r.rlim_cur / 1024, (unsigned long long)addresses);
	else if (getrlimit(RLIMIT_NPROC, &r) == 0 && r.rlim_cur < 1024 && few())
		n = snprintf(text, sizeof text, "cluster: no more threads can be started within the %llu of this user (ulimit -u), the program takes %d to start; raise the limit\n",
			(unsigned long long)r.rlim_cur, threads);
	if (n > 0) {
		if (write(2, text, n) < n) {}
		_exit(1);
	}
}
*/
import "C"

// The runtime of Go takes addresses and threads before any code in Go runs, and ends the
// process with pages of stacks where a limit is too low for it. The constructor above runs
// before it, in programs that are built with a C compiler.
