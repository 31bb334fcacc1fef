/** Reads the arguments of `npm start`: which program is meant, its own arguments, and the folder. */
export function commandLine(argv) {
  const rest = [...argv]
  const isTour = take(rest, '--tour')
  if (isTour) return { program: 'tour', args: rest, dir: undefined }
  const at = rest.indexOf('--dir')
  const [, dir] = at < 0 ? [] : rest.splice(at, 2)
  return { program: 'main', args: ['serve', ...rest], dir }
}

function take(list, word) {
  const at = list.indexOf(word)
  if (at >= 0) list.splice(at, 1)
  return at >= 0
}
