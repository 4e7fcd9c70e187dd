package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ManifestFile says whose results a directory holds. One without it is not a directory of results.
const ManifestFile = "manifest.json"

// PartialSuffix marks results that are not finished: "<dir>.partial" of a run that was interrupted,
// "<dir>.partial.*" while they are being written.
const PartialSuffix = ".partial"

// PartialPath is where the results for dir are while the run is not complete.
func PartialPath(dir string) string { return behindLink(filepath.Clean(dir)) + PartialSuffix }

// LinkLatest points root/latest to dir, which lies below root. Where links are not supported, or
// something that is no link has the name, it does nothing: the link is a convenience.
func LinkLatest(root, dir string) {
	link := filepath.Join(root, "latest")
	target, err := filepath.Rel(root, dir)
	if err != nil {
		return
	}
	if info, err := os.Lstat(link); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return
	}
	// A link cannot be overwritten in place, but renamed over.
	temp := fmt.Sprintf("%s.%d", link, os.Getpid())
	if info, err := os.Lstat(temp); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		discard(temp) // a crash left it
	}
	if os.Symlink(target, temp) != nil {
		return
	}
	if os.Rename(temp, link) != nil {
		discard(temp)
	}
}

// Has says whether a directory of results has a file.
func Has(dir, path string) bool {
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path)))
	return err == nil
}
