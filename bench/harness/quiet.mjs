// A measure waits for a moment in which the machine has a core to spare, so that other work disturbs it less.

const PROBE_MS = 25
/** A probe that gets this share of a core is undisturbed. */
const SHARE_WANTED = 0.97
const PAUSE_MS = 200
const WAIT_MS_MAX = 8000

function shareOfCore() {
  const before = process.cpuUsage()
  const start = performance.now()
  while (performance.now() - start < PROBE_MS);
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e3 / (performance.now() - start)
}

/** Returns after two undisturbed probes in a row, or when patience ends. */
export function waitForQuiet() {
  const end = performance.now() + WAIT_MS_MAX
  let quiet = 0
  while (quiet < 2 && performance.now() < end) {
    quiet = shareOfCore() >= SHARE_WANTED ? quiet + 1 : 0
    if (quiet === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
  }
}
