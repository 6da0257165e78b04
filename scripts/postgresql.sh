#!/usr/bin/env bash
# postgresql.sh prints the folder of PostgreSQL's programs (initdb, postgres) for the tests of
# the SQL store. As root on Debian it installs the package where there is none.
set -euo pipefail

find_programs() {
	local dir
	for dir in "${POSTGRESQL:-}" $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV) \
		"$(dirname "$(command -v initdb || echo /nowhere/initdb)")" /opt/homebrew/opt/postgresql*/bin; do
		if [ -x "$dir/initdb" ] && [ -x "$dir/postgres" ]; then
			echo "$dir"
			return
		fi
	done
	return 1
}

if ! find_programs >/dev/null && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
	echo 'installing postgresql ...' >&2
	log=$(mktemp)
	install() {
		# Only the programs are wanted: no cluster of its own, no service.
		mkdir -p /etc/postgresql-common
		grep -qs create_main_cluster /etc/postgresql-common/createcluster.conf ||
			echo 'create_main_cluster = false' >>/etc/postgresql-common/createcluster.conf
		DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends \
			-o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold postgresql >"$log" 2>&1
	}
	# Old package lists name packages that are gone; a fresh image has none.
	install || { apt-get update -q >"$log" 2>&1 && install; } || echo "postgresql.sh: $(tail -n 1 "$log")" >&2
	rm -f "$log"
fi
find_programs || {
	echo "postgresql.sh: no PostgreSQL: install it (Debian: apt-get install postgresql) or set POSTGRESQL to the folder of initdb" >&2
	exit 1
}
