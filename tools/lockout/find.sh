# Where the revert's folder is, if it is there and one's own.
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
export PATH
answer() { echo "nod-revert $id $*"; }
dir=
for base in /run /tmp; do
	[ -d "$base/nod-revert-$id" ] && [ -O "$base/nod-revert-$id" ] && dir=$base/nod-revert-$id
done
[ -n "$dir" ] || { answer gone; exit 0; }
