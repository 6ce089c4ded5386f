package js

import (
	"errors"
	"reflect"
	"regexp"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
	"modernc.org/quickjs"
)

// rejections are the promises that were rejected while nobody waited for them, as in
// "main();" where main is async. Without them, such an error would be lost without a word.
//
// The engine tells a tracker of them, which package quickjs has no way to set: it is set
// by the engine's own function, for the runtime that the VM holds.
type rejections struct {
	open  map[uintptr]string // by promise: what is wrong
	order []uintptr
}

// mostRejections bounds how many are kept until a call ends.
const mostRejections = 100

// One process has one engine, and a C callback has no closure.
var unhandled rejections

// watchRejections has the engine tell of promises that are rejected.
func watchRejections(vm *quickjs.VM) error {
	runtime := reflect.ValueOf(vm).Elem().FieldByName("runtime")
	if !runtime.IsValid() || runtime.Kind() != reflect.Pointer {
		return errors.New("the engine has no runtime")
	}
	pointer := runtime.Elem().FieldByName("cRuntime")
	if !pointer.IsValid() || !pointer.CanUint() || pointer.Uint() == 0 {
		return errors.New("the engine's runtime has no address")
	}
	unhandled = rejections{open: map[uintptr]string{}}
	f := tracker
	lib.XJS_SetHostPromiseRejectionTracker(nil, uintptr(pointer.Uint()), *(*uintptr)(unsafe.Pointer(&f)), 0) //nolint:gosec // how package quickjs passes functions, too
	return nil
}

// tracker is told of a promise that is rejected, and again when somebody takes its error.
var tracker = func(tls *libc.TLS, ctx uintptr, promise, reason lib.TJSValue, handled lib.TBOOL, _ uintptr) {
	id := *(*uintptr)(unsafe.Pointer(&promise)) //nolint:gosec // the object's address, which its value begins with
	if handled != 0 {
		delete(unhandled.open, id)
		return
	}
	if len(unhandled.order) == mostRejections {
		return
	}
	what := textOf(tls, ctx, reason)
	if at := place().FindString(stackOf(tls, ctx, reason)); at != "" {
		what = at + ": " + what
	}
	unhandled.open[id] = what
	unhandled.order = append(unhandled.order, id)
}

// first is what is wrong in the first promise that nobody has waited for, and forgets all.
func (r *rejections) first() (text string) {
	for _, id := range r.order {
		if what, open := r.open[id]; open && text == "" {
			text = what
		}
	}
	clear(r.open)
	r.order = r.order[:0]
	return text
}

var place = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\s(]+\.m?js:\d+`) })

// textOf is a value as text. An error that this makes is dropped.
func textOf(tls *libc.TLS, ctx uintptr, v lib.TJSValue) string {
	p := lib.XJS_ToCStringLen2(tls, ctx, 0, v, 0)
	if p == 0 {
		lib.XFreeValue(tls, ctx, lib.XJS_GetException(tls, ctx))
		return "an error without a text"
	}
	defer lib.XJS_FreeCString(tls, ctx, p)
	return libc.GoString(p)
}

// stackOf is where an error was made.
func stackOf(tls *libc.TLS, ctx uintptr, v lib.TJSValue) string {
	name, err := libc.CString("stack")
	if err != nil {
		return ""
	}
	defer libc.Xfree(tls, name)
	stack := lib.XJS_GetPropertyStr(tls, ctx, v, name)
	defer lib.XFreeValue(tls, ctx, stack)
	return textOf(tls, ctx, stack)
}
