# Says something.
log() {
  echo "$1"
}
