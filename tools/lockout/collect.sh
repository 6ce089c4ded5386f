if [ "$(readlink "$dir/taken")" != revert ]; then
	answer armed "$(($(cat "$dir/due") - $(date +%s)))" "$(cat "$dir/means")"
elif [ ! -e "$dir/done" ]; then
	answer running
else
	answer reverted
	cat "$dir/log"
	rm -rf "$dir"
fi
