package human

import "strings"

// Shell is a command line as a shell takes it.
func Shell(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		if arg == "" || strings.ContainsFunc(arg, isSpecial) {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		quoted[i] = arg
	}
	return strings.Join(quoted, " ")
}

func isSpecial(r rune) bool {
	return !strings.ContainsRune("-_=+:,./@%", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}
