package job

import (
	"runtime/debug"
	"strings"
	"time"
)

// A Source is the source that a program was built of, as far as it is known.
type Source struct {
	Commit   string // its hash, or ""
	Time     time.Time
	Modified bool // by what is not committed
}

// SourceOf reads what the linker was told, "HASH TIME" with "-dirty" after the hash
// if something was not committed, or else what Go recorded.
func SourceOf(linked string) (s Source) {
	hash, at, _ := strings.Cut(linked, " ")
	s.Commit, s.Modified = strings.CutSuffix(hash, "-dirty")
	if s.Commit == "" {
		s.Modified = false
		info, _ := debug.ReadBuildInfo()
		for i := 0; info != nil && i < len(info.Settings); i++ {
			switch v := info.Settings[i].Value; info.Settings[i].Key {
			case "vcs.revision":
				s.Commit = v
			case "vcs.time":
				at = v
			case "vcs.modified":
				s.Modified = v == "true"
			}
		}
	}
	s.Time, _ = time.Parse(time.RFC3339, at) // the zero time if there is none
	return s
}
