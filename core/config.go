package core

import (
	"slices"
	"strconv"
	"strings"
)

// minSecret is the length of the shortest secret in bytes (contract §2).
const minSecret = 32

// Config is what a deployment says (contract §8). It is read once and not changed afterwards.
type Config struct {
	Secret        []byte // of keys and records that are made now
	Previous      []byte // accepted too, or nil
	Admin         []byte // the password of /_singleshot/keys/, or nil: there is no such page
	Rules         Rules
	OriginURL     string // scheme://host or scheme://host:port, lower-case, without a default port; or ""
	Region        string // of the claim stores for keys that were not minted by the guard
	Shards        int    // claim stores a region, for new keys
	KeepLargeOnly bool   // KV keeps only the answers that do not fit into a record
	InjectScript  bool   // full pages get the browser module's script
	WarningsOnly  bool   // the log has no line for what went as it should
	AskAlways     bool   // no isolate recalls: each duplicate asks the claim store
}

// Fault is one thing wrong with the configuration: the variable and why. It never holds a value of a secret.
type Fault struct {
	Name string
	Why  string
}

func (f Fault) Error() string { return "core: " + f.Name + " " + f.Why }

// regions are the location hints of Durable Objects.
var regions = []string{"wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"}

// Bounds and defaults of the variables. A minted key has 16 bits for its shard; a thousand stores a region are
// more than one zone can fill.
const (
	defaultRegion = "weur"
	defaultShards = 32
	maxShards     = 1024
)

// ParseConfig reads the variables of contract §8 through get, which returns "" for one that is not set, and
// finds all faults at once. With faults nothing may be guarded by the Config, and it must not mint keys; its
// Rules still tell which requests have to be refused: Find is nil for those that pass (contract §8, "never
// half-guarded"). A rule that cannot be read counts as one for every path and method.
func ParseConfig(get func(name string) string) (Config, []Fault) {
	var faults []Fault
	fault := func(name, why string) { faults = append(faults, Fault{name, why}) }
	secret := func(name string) []byte {
		value := get(name)
		if value == "" {
			return nil
		}
		if len(value) < minSecret {
			fault(name, "is shorter than 32 bytes")
			return nil
		}
		return []byte(value)
	}
	oneOf := func(name string, words ...string) string {
		value := get(name)
		if value == "" {
			return words[0]
		}
		if !slices.Contains(words, value) {
			fault(name, "must be one of "+strings.Join(words, ", "))
			return words[0]
		}
		return value
	}

	c := Config{Secret: secret("SINGLESHOT_SECRET"), Previous: secret("SINGLESHOT_SECRET_PREVIOUS")}
	if get("SINGLESHOT_SECRET") == "" {
		fault("SINGLESHOT_SECRET", "is missing: 32 random bytes or more, the same for all instances of the guard")
	}
	if value := get("SINGLESHOT_ADMIN"); value != "" {
		c.Admin = []byte(value)
	}

	rules, wrong := readRules([]byte(get("RULES")))
	for _, e := range wrong {
		fault("RULES", e.place())
	}
	c.Rules = rules

	var why string
	if c.OriginURL, why = parseOriginURL(get("ORIGIN_URL")); why != "" {
		fault("ORIGIN_URL", why)
	}
	c.Shards = defaultShards
	if value := get("SHARDS"); value != "" {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > maxShards {
			fault("SHARDS", "must be a whole number from 1 to "+strconv.Itoa(maxShards))
		} else {
			c.Shards = n
		}
	}
	c.Region = defaultRegion
	if get("REGION") != "" {
		c.Region = oneOf("REGION", regions...)
	}
	c.KeepLargeOnly = oneOf("KEEP", "all", "large") == "large"
	c.InjectScript = oneOf("INJECT_SCRIPT", "false", "true") == "true"
	c.WarningsOnly = oneOf("LOG", "all", "warnings") == "warnings"
	c.AskAlways = oneOf("RECALL", "on", "off") == "off"
	return c, faults
}

// parseOriginURL reads scheme, host and port of the origin and says why it cannot.
func parseOriginURL(text string) (url, why string) {
	if text == "" {
		return "", ""
	}
	scheme, rest, ok := strings.Cut(text, "://")
	scheme = lowerText(scheme)
	if !ok || scheme != "http" && scheme != "https" {
		return "", "must begin with http:// or https://"
	}
	rest = strings.TrimSuffix(rest, "/")
	if strings.ContainsAny(rest, "/?#") {
		return "", "must be scheme, host and port, without a path"
	}
	if strings.IndexByte(rest, '@') >= 0 {
		return "", "must not hold a name or password"
	}
	host, port := rest, ""
	if i := strings.LastIndexByte(rest, ':'); i > strings.LastIndexByte(rest, ']') {
		host, port = rest[:i], rest[i+1:]
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return "", "must have a port from 1 to 65535, or none"
		}
		port = strconv.FormatUint(n, 10)
	}
	host = lowerText(host)
	if !isHost(host) {
		return "", "must have a host of letters, digits, dots and hyphens (another script as xn--), or an IPv6 address in brackets"
	}
	if port == "" || scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		return scheme + "://" + host, ""
	}
	return scheme + "://" + host + ":" + port, ""
}

// isHost reports whether s is a lower-case host name, IPv4 address or bracketed IPv6 address. It need not find
// every wrong one; it has to keep out what would turn into another URL.
func isHost(s string) bool {
	letters := "abcdefghijklmnopqrstuvwxyz0123456789.-_"
	if n := len(s); n > 2 && s[0] == '[' && s[n-1] == ']' {
		s, letters = s[1:n-1], "abcdef0123456789:."
	}
	return s != "" && len(s) <= 253 && strings.Trim(s, letters) == ""
}
