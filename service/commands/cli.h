// What can be asked of this program?
//
// The command line: every command with its options and its words for people. cli.cc is the only file that
// knows the parser; a command gets a plain struct of options and returns an exit code.
#pragma once

namespace neardup {

// Reads the process environment too. Returns what the process exits with.
int run_cli(int argc, const char* const* argv);

}  // namespace neardup
