# Reads the helpers for amd64 and arm64 (base64 of gzip, a line each), puts the right one
# into a folder of its own and prints its path, a tab and what it says of this kernel; or
# "none" and why not.
read -r amd64
read -r arm64
case $(uname -m) in
x86_64 | amd64) helper=$amd64 ;;
aarch64 | arm64) helper=$arm64 ;;
*)
	echo "none nod has no helper for the processor $(uname -m)"
	exit
	;;
esac
umask 077
for place in "$XDG_RUNTIME_DIR" /dev/shm /tmp /var/tmp "$HOME"; do
	case $place in /*) ;; *) continue ;; esac
	folder=$(mktemp -d "$place/.nod-held-XXXXXX" 2>/dev/null) || continue
	if printf %s "$helper" | base64 -d 2>/dev/null | gzip -dc >"$folder/held" 2>/dev/null &&
		chmod 500 "$folder/held" && can=$("$folder/held" '?' 2>/dev/null); then
		printf '%s\t%s\n' "$folder/held" "$can"
		exit
	fi
	rm -rf "$folder"
done
echo "none no folder there lets programs run, or base64 or gzip is missing"
