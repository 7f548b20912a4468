// The table of contents is service/commands/cli.cc.
#include "service/commands/cli.h"

int main(int argc, char** argv) { return neardup::run_cli(argc, argv); }
