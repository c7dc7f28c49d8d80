# Functions of the scripts beside this file.

# wait_for_demo PID OUT LOG: waits up to 60 s until the local server that runs as PID and prints to
# OUT has created its demo group. If it does not, prints LOG and fails.
wait_for_demo() {
  for _ in $(seq 600); do
    if grep -q '^export DAVE=' "$2"; then return; fi
    kill -0 "$1" 2>/dev/null || break
    sleep 0.1
  done
  echo "the local server printed no demo group" >&2
  cat "$3" >&2
  return 1
}
