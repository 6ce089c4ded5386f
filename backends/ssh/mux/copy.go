package mux

import (
	"errors"
	"io"
	"sync"
)

// buffers are for copying. A large one costs fewer system calls for bulk.
var buffers = sync.Pool{New: func() any { b := make([]byte, 256<<10); return &b }}

// restingBuffer is what a copy holds while nothing comes. A daemon has hundreds of channels,
// each with several copies, of which next to all are at rest.
const restingBuffer = 4 << 10

// copyAll copies src to its end, or to the first error. It takes a large buffer when more
// comes than a small one holds, and gives it back when less does.
func copyAll(dst io.Writer, src io.Reader) error {
	small := make([]byte, restingBuffer)
	for {
		n, err := copyOnce(dst, src, small)
		if n == len(small) && err == nil {
			err = copyBulk(dst, src)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// copyBulk copies until a read brings less than a small buffer holds.
func copyBulk(dst io.Writer, src io.Reader) error {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	for {
		if n, err := copyOnce(dst, src, *buf); err != nil || n < restingBuffer {
			return err
		}
	}
}

// copyOnce copies what one read brings. The end of src is io.EOF.
func copyOnce(dst io.Writer, src io.Reader, buf []byte) (n int, err error) {
	n, err = src.Read(buf)
	if n > 0 {
		if _, werr := dst.Write(buf[:n]); werr != nil {
			return n, werr
		}
	}
	return n, err
}
