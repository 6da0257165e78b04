// Program doctor says what is wrong with a guard, in plain text:
//
//	doctor [-config wrangler.toml] [-env NAME] [-url https://shop.example.com [-page /orders/new]]
//
// It reads the configuration as the guard does, without starting it, with .dev.vars beside it. With -url it also
// looks at a running deployment from outside: a few GETs, and one POST that holds nothing but a forged key and is
// sent only where a guard has answered before.
//
// The exit status is 0 if nothing is wrong, 1 if something is, 2 if it could not look.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, complaints io.Writer) int {
	flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
	flags.SetOutput(complaints)
	config := flags.String("config", "wrangler.toml", "the guard's `file`; .dev.vars is read beside it")
	environment := flags.String("env", "", "the `name` of a wrangler environment")
	url := flags.String("url", "", "the `address` of a running deployment to look at")
	page := flags.String("page", "/", "the `path` of a page there that has a form")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(complaints, "doctor: what is %q?\n", flags.Arg(0))
		return 2
	}
	r := &report{out: out}
	r.title("Configuration: " + *config)
	if settings, err := readSettings(*config, *environment); err != nil {
		r.unable("file", "%v", err)
	} else {
		settings.examine(r)
	}
	if *url != "" {
		r.title("Deployment: " + *url)
		if d, err := visit(*url, *page); err != nil {
			r.unable("address", "%v", err)
		} else {
			d.examine(r)
		}
	}
	return r.end()
}
