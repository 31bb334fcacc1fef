// "Between": other work happened since the last call, so the processor's caches hold none of our data.

const WALKED_BYTES = 128 << 20
const CACHE_LINE = 64

/** Returns a function that touches every cache line of 128 MiB. */
export function makeCacheWalk() {
  const memory = new Uint8Array(WALKED_BYTES).fill(1)
  return () => {
    for (let at = 0; at < WALKED_BYTES; at += CACHE_LINE) memory[at]++
  }
}
