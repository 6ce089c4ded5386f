package mux

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// helperEnv makes the test binary act as another process.
const helperEnv = "NOD_MUX_TEST_HELPER"

// helper is what it acts as: "serve ADDRESS USER KEY SOCKET" is a master, a
// path alone a client that opens a session there.
func helper() {
	words := strings.Fields(os.Getenv(helperEnv))
	if words[0] == "serve" {
		fmt.Println(serve(words[1], words[2], words[3], words[4]))
		return
	}
	open(words[0])
}

func serve(address, user, key, socket string) error {
	private, err := os.ReadFile(key)
	if err != nil {
		return err
	}
	signer, err := ssh.ParsePrivateKey(private)
	if err != nil {
		return err
	}
	conn, err := ssh.Dial("tcp", address, &ssh.ClientConfig{
		User: user, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
	if err != nil {
		return err
	}
	l, err := Listen(socket)
	if err != nil {
		return err
	}
	return Serve(context.Background(), l, conn, Options{SendEnv: []string{sendEnv}})
}

func open(socket string) {
	c, err := Dial(context.Background(), socket)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("opening")
	s, err := c.Start(context.Background(), Request{Command: "cat"})
	fmt.Println("opened", err)
	if err == nil {
		_ = s.Close()
	}
}

// pingSocks is ping through a SOCKS server on a local port.
func pingSocks(t testing.TB, proxy, port, version, text string) string {
	t.Helper()
	n, err := strconv.Atoi(port)
	check(t, err)
	binaryPort := binary.BigEndian.AppendUint16(nil, uint16(n))
	var hello, ask []byte
	reply := 8
	switch version {
	case "4":
		ask = append(append([]byte{4, 1}, binaryPort...), 127, 0, 0, 1, 'm', 'e', 0)
	case "4a":
		ask = append(append(append([]byte{4, 1}, binaryPort...), 0, 0, 0, 1, 'm', 'e', 0), "127.0.0.1\x00"...)
	case "5":
		hello, reply = []byte{5, 2, 2, 0}, 10
		ask = append([]byte{5, 1, 0, 1, 127, 0, 0, 1}, binaryPort...)
	case "5 name":
		hello, reply = []byte{5, 1, 0}, 10
		ask = append(append([]byte{5, 1, 0, 3, 9}, "127.0.0.1"...), binaryPort...)
	}
	c, err := net.DialTimeout("tcp", "127.0.0.1:"+proxy, patience)
	if err != nil {
		return "refused"
	}
	defer quietly(c)
	_ = c.SetDeadline(time.Now().Add(patience))
	if hello != nil {
		_, _ = c.Write(hello)
		method := make([]byte, 2)
		if _, err := io.ReadFull(c, method); err != nil || method[1] != 0 {
			return fmt.Sprint("greeting: ", method, err)
		}
	}
	_, _ = c.Write(ask)
	answer := make([]byte, reply)
	if _, err := io.ReadFull(c, answer); err != nil {
		return "answer: " + err.Error()
	}
	_, _ = fmt.Fprint(c, text)
	_ = c.(halfCloser).CloseWrite()
	all, err := io.ReadAll(c)
	if err != nil {
		return err.Error()
	}
	return string(all)
}
