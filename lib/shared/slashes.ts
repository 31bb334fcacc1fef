/**
 * Removes trailing slashes. A regular expression would take quadratic time on long runs of slashes inside of the path.
 */
export function withoutLastSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}
