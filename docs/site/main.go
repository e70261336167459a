// Command site draws the Markdown of the repository as static pages, and fails where a
// link leads nowhere. It needs no network.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("root", "../..", "the repository")
	out := flag.String("out", "../../dist/docs", "the directory to write; what is in it is removed")
	flag.Parse()
	pages, err := build(*root, *out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages in %s\n", pages, *out)
}
