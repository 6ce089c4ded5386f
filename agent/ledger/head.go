package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
)

// encodeHead is the content of the head file at p.
func (s *sealer) encodeHead(p position) []byte {
	b := []byte(`{"records":`)
	b = strconv.AppendUint(b, p.seq, 10)
	b = append(b, `,"size":`...)
	b = strconv.AppendInt(b, p.size, 10)
	b = append(b, `,"last":"`...)
	b = append(b, p.prev[:]...)
	b = append(b, '"')
	if s.root != "" {
		b = append(b, partRoot...)
		b = append(b, s.root...)
		b = append(b, '"')
	}
	b = append(b, partMAC...)
	b = append(b, s.seal(b[:len(b)-len(partMAC)])...)
	return append(b, partEnd+"\n"...)
}

// partRoot begins the part of a head that a ledger without epochs does not have.
const partRoot = `,"root":"`

// decodeHead reads what encodeHead wrote, and nothing else. The first head tells
// the sealer of the first epoch, and later ones must have the same.
func (s *sealer) decodeHead(text []byte) (position, error) {
	var p position
	var last string
	bad := &Fault{Reason: "the head was edited, or the key is another one"}
	if len(text) > 512 {
		return p, bad
	}
	_, err := fmt.Sscanf(string(text), `{"records":%d,"size":%d,"last":"%64s`, &p.seq, &p.size, &last)
	if err != nil || len(last) != sealLen || p.size < 0 {
		return p, bad
	}
	copy(p.prev[:], last)
	root := s.root
	if _, after, found := bytes.Cut(text, []byte(partRoot)); found && len(after) > rootLen && root == "" {
		s.root = string(after[:rootLen])
	}
	if !bytes.Equal(s.encodeHead(p), text) {
		s.root = root
		return p, bad
	}
	return p, nil
}

// readHead reads and checks the head file.
func (s *sealer) readHead(d disk, path string) (position, error) {
	text, err := readSmall(d, path)
	if errors.Is(err, fs.ErrNotExist) {
		return position{}, &Fault{Reason: "the head is missing"}
	}
	if err != nil {
		return position{}, fmt.Errorf("ledger: read the head: %w", err)
	}
	return s.decodeHead(text)
}

// writeHead replaces the head file; it is on disk when writeHead returns nil.
func (s *sealer) writeHead(d disk, dir string, p position) error {
	return replace(d, dir, headFile, s.encodeHead(p))
}

// replace writes a small file of dir as a whole: after an error or a crash
// there is the old content or the new. The caller holds the ledger's lock.
func replace(d disk, dir, name string, content []byte) error {
	temporary := dir + "/" + name + ".new"
	f, err := d.open(temporary, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(content, 0)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = d.rename(temporary, dir+"/"+name)
	}
	if err == nil {
		err = d.syncDir(dir)
	}
	return err
}

// readSmall reads a file of at most 4 KiB.
func readSmall(d disk, path string) ([]byte, error) {
	f, err := d.open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 4096))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return text, err
}
