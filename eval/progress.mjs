// Progress on standard error: one line that is written over on a terminal, one line a step elsewhere.
let shown = ''
let last = 0

export function showProgress(what, done, all) {
  const isLast = done === all
  if (process.stderr.isTTY) {
    if (isLast || Date.now() - last > 100)
      process.stderr.write(`\r\x1b[K${what}: ${done} of ${all}${isLast ? '\n' : ''}`)
  } else if (shown !== what || isLast || Date.now() - last > 10_000) {
    process.stderr.write(`${what}: ${done} of ${all}\n`)
  } else {
    return
  }
  last = Date.now()
  shown = what
}
