#!/usr/bin/env bash
source "$(dirname "$0")/lib/log.sh"

main() {
  log "start"
  check || exit 1
  ls
}

function check {
  log "checked"
}

main "$@"
