#!/usr/bin/env bash
# Fetches tables from a real TAP service, DaCHS on this machine, and compares them with
# what the service was given. Debian: apt-get install gavodachs2-server. It needs root, and
# adds the resource skyjoin_test to the DaCHS of the machine, which it removes again.
#
#   internal/vo/test-dachs.sh bin/cluster
set -euo pipefail
if ! command -v dachs >/dev/null || ! command -v pg_lsclusters >/dev/null || [ "$(id -u)" != 0 ]; then
	echo "skipped: it needs DaCHS (apt-get install gavodachs2-server), and root"
	exit 0
fi
cluster=$(realpath "$1")
dir=$(mktemp -d)
inputs=/var/gavo/inputs/skyjoin_test
service=http://localhost:8080
tap=$service/tap
as() { su dachsroot -s /bin/bash -c "cd /tmp; $1"; }
read -r version name _ state _ < <(pg_lsclusters --no-header)
server=
finish() {
	status=$?
	[ $status = 0 ] || tail -n 20 "$dir"/*.log >&2
	[ -z "$server" ] || kill -- "-$server" 2>/dev/null || true
	as 'dachs drop skyjoin_test/q' >/dev/null 2>&1 || true
	rm -rf "$inputs" "$dir"
	[ "$state" = online ] || pg_ctlcluster "$version" "$name" stop
	exit $status
}
trap finish EXIT
say() { printf '%3d s  %s\n' $SECONDS "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }
cd "$dir"

[ "$state" = online ] || pg_ctlcluster "$version" "$name" start
mkdir -p $inputs
"$cluster" gen sky -n 5000 --seed 4 -o $inputs/stars.csv -q
column() { echo "<column name='$1' type='$2' unit='$3' ucd='$4' description='$1 of the star' ${5-}/>"; }
cat >$inputs/q.rd <<RD
<resource schema="skyjoin_test">
<meta name="title">Mock stars</meta><meta name="description">Stars for the test of a client.</meta>
<meta name="creationDate">2026-11-29T00:00:00Z</meta><meta name="subject">catalogs</meta><meta name="creator">skyjoin</meta>
<table id="stars" onDisk="True" adql="True" mixin="//scs#q3cindex" primary="source_id">
$(column source_id bigint '' 'meta.id;meta.main' 'required="True"')
$(column ra 'double precision' deg 'pos.eq.ra;meta.main')
$(column dec 'double precision' deg 'pos.eq.dec;meta.main')
$(column parallax 'double precision' mas pos.parallax)
$(column phot_g_mean_mag real mag 'phot.mag;em.opt')
</table>
<data id="import"><sources>stars.csv</sources><csvGrammar/><make table="stars"><rowmaker>
<map key="source_id">@source_id</map>
$(for c in ra dec parallax phot_g_mean_mag; do echo "<map key='$c'>parseWithNull(@$c, float, '')</map>"; done)
</rowmaker></make></data>
<service id="cone" allowed="scs.xml"><meta name="shortName">mock cone</meta>
<meta name="testQuery.ra">290</meta><meta name="testQuery.dec">12</meta><meta name="testQuery.sr">1</meta>
<scsCore queriedTable="stars"><FEED source="//scs#coreDescs"/></scsCore></service>
</resource>
RD
chown -R dachsroot $inputs
as 'dachs imp skyjoin_test/q' >imp.log 2>&1
setsid su dachsroot -s /bin/bash -c 'cd /tmp; exec dachs serve debug' >serve.log 2>&1 &
server=$!
for _ in $(seq 60); do
	curl -s -o /dev/null $tap/availability && break
	sleep 1
done
say "DaCHS serves $(dachs --version 2>/dev/null | head -n 1)"

jobs() { curl -s $tap/async | grep -o '<uws:jobref' | wc -l || true; }
before=$(jobs)
get() { "$cluster" get "$@" -q; }
sorted() { "$cluster" convert "$1" -c source_id,ra,dec,parallax,phot_g_mean_mag -o - -q | sort; }
sorted $inputs/stars.csv >want.csv
all='SELECT * FROM skyjoin_test.stars'
get $tap --adql "$all" -o sync.parquet
get $tap --adql "$all" --async -o async.fits
get $tap --adql "$all" --max-rows 700 --page-by source_id -o pages.vot
get $tap --adql "$all" --max-rows 1700 --page-by source_id --async -o jobs.ecsv
for got in sync.parquet async.fits pages.vot jobs.ecsv; do
	sorted $got | cmp - want.csv || fail "$got is not what the service was given"
	"$cluster" info $got --json | grep -q '"name":"parallax","type":"[^"]*","unit":"mas","ucd":"pos.parallax"' || fail "$got has lost units or UCDs"
done
say "5,000 rows at once, as a job, in pages and in pages of jobs: equal"

"$cluster" convert sync.parquet --where "phot_g_mean_mag < 12" -o bright.fits -q
joined='SELECT m.source_id AS mine, s.source_id FROM TAP_UPLOAD.mine AS m JOIN skyjoin_test.stars AS s ON m.source_id = s.source_id'
get $tap --adql "$joined" --upload mine=bright.fits -o up.csv
get $tap --adql "$joined" --upload mine=bright.fits --async -o up-job.csv
sort -o up.csv up.csv && sort -o up-job.csv up-job.csv && cmp up.csv up-job.csv
[ "$(wc -l <up.csv)" = "$("$cluster" convert bright.fits -o - -q | wc -l)" ] || fail "the upload was joined with other rows"
get "$service/skyjoin_test/q/cone/scs.xml?" --cone 290,12,10arcmin -o cone.parquet
say "uploads and a cone: $(($(wc -l <up.csv) - 1)) and $("$cluster" info cone.parquet --json | grep -o '"used":[0-9]*' | cut -d: -f2) rows"

status=0
"$cluster" get $tap --adql 'SELECT nothing FROM skyjoin_test.stars' -o no.csv --json >error.json 2>/dev/null || status=$?
[ $status = 1 ] && grep -q '"kind":"service","message":"[^"]*nothing' error.json || fail "a wrong query: status $status, $(cat error.json)"
"$cluster" get $tap --adql 'SELECT nothing FROM skyjoin_test.stars' -o no.csv --async -q 2>job.txt && fail "a wrong job succeeds"
grep -q 'phase ERROR.*nothing' job.txt || fail "$(cat job.txt)"
get $tap --adql 'SELECT nothing FROM skyjoin_test.stars' -o no.csv --async --abort
say "what the service refuses is passed on"

slow='SELECT TOP 9 a.source_id, COUNT(*) AS n FROM skyjoin_test.stars AS a, skyjoin_test.stars AS b WHERE a.parallax < b.parallax + RAND() * 1e-9 GROUP BY a.source_id ORDER BY a.source_id'
"$cluster" get $tap --adql "$slow" --async -o slow.csv >slow.log 2>&1 &
pid=$!
for _ in $(seq 100); do
	grep -q 'EXECUTING\|QUEUED' slow.log && break
	sleep .1
done
kill -INT $pid
status=0
wait $pid || status=$?
[ $status = 130 ] || fail "interrupted, it ends with $status: $(cat slow.log)"
[ ! -e slow.csv ] && [ -d slow.csv.get ] || fail "interrupted, it leaves $(ls)"
get $tap --adql "$slow" --async --resume -o slow.csv
[ "$(wc -l <slow.csv)" = 10 ] || fail "resumed: $(cat slow.csv)"
[ "$(jobs)" = "$before" ] || fail "jobs are left at the service"
say "a job is interrupted and resumed; none is left at the service"
