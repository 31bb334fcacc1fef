/** A cluster of short flags with `-j` in it; the text after `t`, `n` or `p` is their value. */
const SHORT_FLAGS = /^-[^-tnp\W]*j/

/** Searches for `--json` or `-j` without parsing, because errors of the parser must be printed as JSON too. */
export function asksForJson(argv: string[] = process.argv.slice(2)): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === '--json' || SHORT_FLAGS.test(word))
}
