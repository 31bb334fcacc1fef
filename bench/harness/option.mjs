/** Returns the number behind an option of the command line. */
export function option(name, otherwise) {
  const at = process.argv.indexOf(name)
  return at < 0 ? otherwise : Number(process.argv[at + 1])
}
