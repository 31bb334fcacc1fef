/**
 * The forms that are counted, each by what finds it in one line of code (of a comment, where `isComment`), and what to write instead.
 * `same-name` is counted over all files: a type name that stands for several types.
 */
export const FORMS = [
  { name: 'closures', pattern: /\blet (mut )?\w+ = (move )?\|/, instead: 'a named function for a step' },
  { name: 'is-locals', pattern: /\blet (mut )?is_\w+/, instead: 'the condition itself, or a named function' },
  { name: 'match-bool', pattern: /^\s*(true|false)( if .*)? =>/, instead: '`if` for two cases' },
  {
    name: 'tuple-parameters',
    pattern: /(^\s+|\(|, )\((mut )?[a-z_]+(, (mut )?[a-z_]+)+\): &?\(/,
    instead: 'parameters of their own, or a struct for what travels together',
  },
  { name: 'vague-words', pattern: /\b(nobody|somebody|whatever)\b/i, isComment: true, instead: 'who or what it is' },
  { name: 'same-name', instead: 'one name for one type' },
]

const TYPE = /^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|union|type) ([A-Z]\w*)/

/** The places of each form, as `path:line`; of a comment once for each word. */
export function countForms(files) {
  const places = Object.fromEntries(FORMS.map(({ name }) => [name, []]))
  const types = new Map()
  for (const { path, text } of files) {
    for (const [at, line] of shipped(text).entries()) {
      const place = `${path}:${at + 1}`
      const comment = /(^|\s)\/\/.*/.exec(line)?.[0]
      for (const { name, pattern, isComment } of FORMS) {
        if (pattern === undefined) continue
        const part = isComment ? comment : line.slice(0, line.length - (comment?.length ?? 0))
        if (part !== undefined && pattern.test(part)) places[name].push(place)
      }
      const type = TYPE.exec(line)?.[1]
      if (type !== undefined) types.set(type, [...(types.get(type) ?? []), place])
    }
  }
  for (const [type, found] of types) {
    if (found.length > 1) places['same-name'].push(`${type}: ${found.join(' ')}`)
  }
  return places
}

/** The lines before the unit tests of a file. An associated type (`type Item`) is indented, and its name belongs to its trait. */
function shipped(text) {
  const lines = text.split('\n').map((line) => (/^\s+type /.test(line) ? '' : line))
  const tests = lines.indexOf('#[cfg(test)]')
  return tests < 0 ? lines : lines.slice(0, tests)
}
