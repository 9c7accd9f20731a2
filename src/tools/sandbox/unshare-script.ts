// Invariants:
// U1 The script runs as the first process of its namespaces, with a search path of the system: no program of the project runs in it.
// U2 What does not work ends it with status 125 before the command starts: a command never runs with less.
// U3 The command runs in a user namespace below that of the mounts, without a capability and without a way to a third one.

/** The folder where the sources of mounts are kept until their places are made; every `/proc` has it. */
export const STAGE = '/proc/fs';

/**
 * Takes: 1 user, 2 group, 3 the table of mounts before and 4 the one after folders are made, 5 paths that need not be
 * read-only, as the kernel writes them, 6 folders and 7 files to make first, 8 folders and 9 files to make between the
 * tables, for `printf %b`; then the working directory and the command.
 */
export const SCRIPT = `
set -euf
search=\${PATH-}
PATH=/usr/bin:/bin:/usr/sbin:/sbin
fail() { echo "sandbox: $1" >&2; exit 125; }
make() {
  for folder in $1; do mkdir -p "$(printf '%b' "$folder")"; done
  for file in $2; do
    file=$(printf '%b' "$file")
    mkdir -p "\${file%/*}"
    : > "$file"
  done
}
# Programs that test themselves talk to themselves; without one of these tools they cannot.
{ ip link set lo up || ifconfig lo up; } 2> /dev/null || :
stage=${STAGE}
mount -n -t proc proc /proc || fail 'there is no /proc of its own'
echo 1 > /proc/sys/user/max_user_namespaces || fail 'namespaces cannot be limited'
mount -n -t tmpfs hitl-sandbox $stage || fail 'there is no place for mounts'
mkdir -p $stage/dev/pts $stage/dev/shm
: > $stage/null
for node in null zero full random urandom tty; do : > $stage/dev/$node; done
ln -s pts/ptmx $stage/dev/ptmx
cp -P /dev/fd /dev/stdin /dev/stdout /dev/stderr $stage/dev/ 2> /dev/null || :
make "$6" "$7"
printf '%s\\n' "$3" > $stage/before
printf '%s\\n' "$4" > $stage/after
mount -n -a -T $stage/before || fail 'a mount is missing'
mount -n -o remount,bind,ro,nosuid,nodev / || fail 'the file system is not read-only'
make "$8" "$9"
mount -n -a -T $stage/after || fail 'a mount is missing'
while read -r _ _ _ _ target options _; do
  for open in $5; do case $target in "$open"|"$open"/*) continue 2;; esac; done
  case $options in ro|ro,*) ;; *) fail "$target is not read-only";; esac
done < /proc/self/mountinfo
user=$1 group=$2 bounds=
if [ "$user" = 0 ]; then bounds=--bounding-set=-all; fi
shift 9
cd "$1" || fail "$1 is not there"
shift
unshare=$(command -v unshare)
setpriv=$(command -v setpriv)
PATH=$search
"$unshare" --user --map-user="$user" --map-group="$group" -- "$setpriv" $bounds --inh-caps=-all --no-new-privs -- "$@"
exit $?
`;
