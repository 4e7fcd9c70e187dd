//go:build unix

package store

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"simrun/report/store/storetest"
)

// writeText is WriteFile of a text.
func writeText(path, text string) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func kindOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Type()
}

// A pipe, a socket, a directory and a link are after a write what they were before it; what is behind a link
// is written, and a failed write leaves a regular file as it was.
func TestWriteFileReplacesNoOtherKind(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }

	if err := syscall.Mkfifo(in("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(to, name string) {
		if err := os.Symlink(to, in(name)); err != nil {
			t.Fatal(err)
		}
	}
	link("pipe", "to-pipe")
	for _, name := range []string{"pipe", "to-pipe"} {
		got := make(chan string, 1)
		go func() {
			data, _ := os.ReadFile(in("pipe"))
			got <- string(data)
		}()
		if err := writeText(in(name), "through"); err != nil {
			t.Fatal(err)
		}
		if text := <-got; text != "through" {
			t.Errorf("the reader of %s got %q", name, text)
		}
	}

	socket, err := net.Listen("unix", in("socket"))
	if err != nil {
		t.Skip(err)
	}
	defer socket.Close()
	for _, name := range []string{"socket", "."} {
		if err := writeText(in(name), "x"); err == nil {
			t.Errorf("%s was written to", name)
		}
	}

	link("file", "link") // leads nowhere yet
	link("link", "link2")
	for _, text := range []string{"one", "two"} {
		if err := writeText(in("link2"), text); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(in("file")); err != nil || string(data) != text {
			t.Errorf("behind the links: %q, %v; want %q", data, err, text)
		}
	}
	if err := os.Chmod(in("file"), 0o600); err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	if err := WriteFile(in("link"), func(io.Writer) error { return full }); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(in("file")); err != nil || string(data) != "two" {
		t.Errorf("after a failed write: %q, %v", data, err)
	}
	if err := writeText(in("file"), "three"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(in("file")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a private file became %v, %v", info.Mode(), err)
	}
	link("loop", "loop")
	if err := writeText(in("loop"), "x"); err == nil {
		t.Error("a link to itself was written to")
	}
	for name, want := range map[string]fs.FileMode{
		"pipe": fs.ModeNamedPipe, "to-pipe": fs.ModeSymlink, "socket": fs.ModeSocket, "link": fs.ModeSymlink,
		"link2": fs.ModeSymlink, "file": 0, "loop": fs.ModeSymlink,
	} {
		if got := kindOf(t, in(name)); got != want {
			t.Errorf("%s became %v, it was %v", name, got, want)
		}
	}
	if names := storetest.Entries(t, dir); len(names) != 7 {
		t.Errorf("left behind: %v", names)
	}
}

// Results behind a link are written there, by force and file by file as well, and the link stays.
func TestResultsBehindALink(t *testing.T) {
	root := t.TempDir()
	disk, dir := filepath.Join(root, "disk"), filepath.Join(root, "s1")
	if err := os.Mkdir(disk, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("disk", dir); err != nil {
		t.Fatal(err)
	}
	save(t, dir, staged(t, dir, "a\n"), false, Written)
	big := filepath.Join(root, "big.csv")
	if err := os.Rename(filepath.Join(disk, "sends.csv"), big); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../big.csv", filepath.Join(disk, "sends.csv")); err != nil {
		t.Fatal(err)
	}
	save(t, dir, staged(t, dir, "b\n"), false, Updated)
	if data, err := os.ReadFile(big); err != nil || string(data) != "b\n" {
		t.Errorf("the stream behind a link: %q, %v", data, err)
	}
	if got := kindOf(t, filepath.Join(disk, "sends.csv")); got != fs.ModeSymlink {
		t.Errorf("the link of a stream became %v", got)
	}
	other := of("0123456789abcdef", 12)
	save(t, dir, other, true, Written)
	if got := kindOf(t, dir); got != fs.ModeSymlink {
		t.Errorf("the link became %v", got)
	}
	if m, err := LoadManifest(disk); err != nil || m.Digest != other.Digest {
		t.Errorf("behind the link: digest %s, %v", m.Digest, err)
	}
	if names := storetest.Entries(t, root); len(names) != 3 {
		t.Errorf("left behind: %v", names)
	}
}
