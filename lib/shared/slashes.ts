/** Returns a path without the slashes at its end. A pattern would try every run of slashes within it. */
export function withoutLastSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}
