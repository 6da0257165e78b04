package edge

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

// Options configure a Handler. The zero value works for development: records in memory and a secret of this
// process, with a warning, so that a restart forgets everything and breaks the forms that are open. In
// production Secret and Store have to be there.
type Options struct {
	// Secret signs keys and seals records: 32 random bytes or more, the same for all processes.
	Secret string
	// PreviousSecret is accepted too, so that a rotation breaks no form that is open.
	PreviousSecret string
	// AdminSecret opens the trail of a key at /_singleshot/keys/ (contract §10). Empty: there is no such page.
	AdminSecret string

	// Rules say what is guarded and how; the first that matches wins, and an implicit last one guards every POST
	// of a form by its key field.
	Rules []Rule
	// RulesText are the rules as text instead, as in the variable RULES of the Worker: a JSON array.
	RulesText string

	// Store holds the records. nil: a MemoryStore, which is right for a single process whose restarts may forget.
	Store Store
	// Answers keep a copy of every committed answer, from which replays are served while the Store cannot be
	// reached, and the answers over 1 MiB, which do not fit into a record. nil: if the Store is an Answers as
	// well, it keeps the large ones; otherwise their duplicates get a short "already done" page.
	Answers Answers
	// KeepLargeOnly lets Answers keep the large ones alone.
	KeepLargeOnly bool

	// Site is scheme and host as visitors see them, "https://shop.example". Behind a proxy that ends TLS it has
	// to be set: the visitor's cookie and the check for other sites depend on it. Empty: as the request says.
	Site string

	// Module are the files of the browser module, the folder build/browser of a `make build`: they are served under
	// /_singleshot/ (contract §9). nil: there is none, or somebody else serves it; nothing else needs it.
	Module fs.FS
	// InjectScript puts the module's script tag into full pages.
	InjectScript bool

	// Region and Shards are for stores that are more than one, see Cell: the region of keys that come from
	// clients ("" is "weur"), and how many shards each region has for new keys (0 is 32).
	Region string
	Shards int

	// Logger gets one line for every guarded request, without any value of it, and what goes wrong: at level warn
	// where nobody knows what h did, else at level info. nil: slog.Default().
	Logger *slog.Logger
}

// Check tells everything that is wrong with the options for production: what a Handler would answer 503 for, and
// a Secret or a Store that is missing. Programs call it when they start.
func (o Options) Check() error {
	_, faults := o.config()
	var all []error
	for _, f := range faults {
		all = append(all, fmt.Errorf("edge: %s %s", f.Name, f.Why))
	}
	if _, err := readModule(o.Module); err != nil {
		all = append(all, err)
	}
	if o.Store == nil {
		all = append(all, errors.New("edge: Store is missing: records in memory end with the process"))
	}
	return errors.Join(all...)
}

// config is what core reads of the options, and everything that is wrong there.
func (o Options) config() (core.Config, []core.Fault) {
	keep := "all"
	if o.KeepLargeOnly || o.Answers == nil {
		keep = "large" // a copy in the Store itself is of no use when that cannot be reached
	}
	values := map[string]string{
		"SINGLESHOT_SECRET": o.Secret, "SINGLESHOT_SECRET_PREVIOUS": o.PreviousSecret, "SINGLESHOT_ADMIN": o.AdminSecret,
		"RULES": o.RulesText, "REGION": o.Region, "KEEP": keep,
	}
	if o.InjectScript {
		values["INJECT_SCRIPT"] = "true"
	}
	if o.Shards != 0 {
		values["SHARDS"] = strconv.Itoa(o.Shards)
	}
	var faults []core.Fault
	if len(o.Rules) > 0 {
		if o.RulesText != "" {
			faults = append(faults, core.Fault{Name: "RulesText", Why: "is there beside Rules: give one of them"})
		}
		values["RULES"] = rulesText(o.Rules)
	}
	config, found := core.ParseConfig(func(name string) string { return values[name] })
	names := map[string]string{
		"SINGLESHOT_SECRET": "Secret", "SINGLESHOT_SECRET_PREVIOUS": "PreviousSecret", "RULES": "Rules",
		"REGION": "Region", "SHARDS": "Shards",
	}
	for _, f := range found {
		faults = append(faults, core.Fault{Name: names[f.Name], Why: f.Why})
	}
	if o.Site != "" {
		u, err := url.Parse(o.Site)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != o.Site {
			faults = append(faults, core.Fault{Name: "Site", Why: "must be scheme and host, as in https://shop.example"})
		}
	}
	return config, faults
}

func newHandler(next http.Handler, o Options) *handler {
	log := o.Logger
	if log == nil {
		log = slog.Default()
	}
	if o.Secret == "" && o.Store == nil {
		var random [32]byte
		rand.Read(random[:])
		o.Secret = base64.RawURLEncoding.EncodeToString(random[:])
		log.Warn("edge: Secret and Store are missing: this process has its own, and a restart forgets every record and breaks open forms")
	} else if o.Store == nil {
		log.Warn("edge: Store is missing: a restart forgets every record")
	}
	if o.Store == nil {
		o.Store = new(MemoryStore)
	}
	config, faults := o.config()
	for _, f := range faults {
		log.Error(fmt.Sprintf("edge: %s %s", f.Name, f.Why))
	}
	h := &handler{
		next: next, guard: core.NewGuard(config, faults), site: o.Site, store: o.Store,
		answers: o.Answers, log: logger{log}, now: time.Now,
	}
	var err error
	if h.module, err = readModule(o.Module); err != nil {
		log.Error(err.Error())
	}
	_, h.prompt = o.Store.(*MemoryStore)
	if h.answers == nil {
		h.answers, _ = o.Store.(Answers)
	}
	return h
}
