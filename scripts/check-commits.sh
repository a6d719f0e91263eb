#!/bin/sh
# Checks the subjects of commits: at most 72 characters, `area: verb ...`. An area is a folder by the end of its path (causes,
# analysis/causes), a document (README), build or house; several are joined by `, `. The verbs are in scripts/verbs.txt.
# Without git or the history it exits with 77. As a hook: head -1 "$1" | scripts/check-commits.sh -
#
# usage: check-commits.sh [RANGE | -]    those after the commit that the rule began with; a range; from the standard input
set -eu
cd "$(dirname "$0")/.."
range=${1:-f3364d5cdb..HEAD}
git rev-parse --quiet --verify "${range%%..*}^{commit}" >/dev/null 2>&1 || [ "$range" = - ] && git ls-files --error-unmatch scripts/verbs.txt >/dev/null 2>&1 ||
    { echo "check-commits: no git history with ${range%%..*}: skipped"; exit 77; }
{ git ls-files; echo; if [ "$range" = - ]; then cat; else git log --no-merges --format=%s "$range"; fi; } | LC_ALL=C.UTF-8 awk '
    BEGIN { while ((getline line < "scripts/verbs.txt") > 0) if (line !~ /^#/) { n = split(line, words, " "); while (n) verbs[words[n--]] = 1 }
            areas["build"] = areas["house"] = 1 }
    !subjects && /^$/ { subjects = 1; next }
    !subjects { if (/\.md$/) { name = $0; gsub(/^.*\/|\.md$/, "", name); areas[name] = 1 }
                while (sub(/\/[^\/]*$/, "")) for (name = $0; name; name = name ~ /\// ? substr(name, index(name, "/") + 1) : "") areas[name] = 1; next }
    { fault = length($0) > 72 ? "longer than 72 characters" : !match($0, /^[^:]+: [a-z-]+ [^ ]/) ? "not `area: verb ...`" : ""
      if (!fault) { n = split(substr($0, 1, index($0, ":") - 1), named, ", "); while (n) { if (!(named[n] in areas)) fault = "no area: " named[n]; n-- } }
      verb = substr($0, index($0, ": ") + 2); sub(/ .*/, "", verb); if (!fault && !(verb in verbs)) fault = "no verb of scripts/verbs.txt: " verb
      if (fault) { print fault ": " $0; faults++ } }
    END { exit faults > 0 }'
