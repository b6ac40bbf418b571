// Package file writes the files of the product: tables, figures, sources,
// traces, calibrations, plans, pieces and job scripts. No other package creates,
// renames or overwrites files.
//
// # One file
//
// [Create] writes to a temporary file in the folder of the target, hidden by a
// dot so that no scan takes it for a catalog; [Output.Commit] syncs it and gives
// it the target's name. A reader, or a program that is killed, sees the old file
// or the new one, never a part of one:
//
//   - The temporary file is created exclusively and under a name that cannot be
//     foreseen, so no link that was planted there is followed.
//   - Without Options.Force no file is replaced, not even one that appears while
//     the output is written: the name is given by a hard link, which fails where
//     there is one. (File systems without hard links are asked for the name and
//     then renamed to, which leaves a moment.)
//   - A file that is replaced passes its mode on, and its owner and group as far
//     as the process may set them; access control lists and extended attributes
//     are lost. Other files get Options.Perm less the umask.
//   - A target that is a symbolic link to a file of the same folder stays a link,
//     and that file is replaced. A link that leads to a file of another folder is
//     replaced itself: nothing is written outside of the folder that was named.
//   - Folders and devices are refused as targets.
//   - On any error, and with [Output.Abort], the temporary file is removed.
//
// # What a killed process leaves
//
// A temporary file is locked (flock) as long as its process lives. [Sweep]
// removes those of a target that nobody locks any more. Where a file system has
// no locks, the temporary file says so in its name, and is left alone.
//
// # Several files
//
// The outputs of one command can be named together, see [Together]; a folder
// can be filled under a temporary name, see [Folder]; and [Paths] knows what a
// command reads and writes, so that an input is never overwritten and no output
// by another.
package file
