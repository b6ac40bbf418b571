package flags

// Renamed are the flags of the last release that have another name now, which
// they are refused with for one release.
var Renamed = map[string]string{}
