// What `npm test -- --changed` runs, and what it says about it.
import { changedFiles } from './git.mjs'
import { crateOf, hasAddon, isAddonOlder, isCompiled, rustTests, specsThrough } from './rust.mjs'
import { selectSpecs } from './select.mjs'

/** What everything is built from, and no table knows better. */
const EVERYWHERE = /^(Cargo\.|build\.rs|rust-toolchain|\.cargo\/|package(-lock)?\.json|rolldown\.|tsconfig)/

/**
 * Returns the specifications that are wanted, the arguments of each call of `cargo test`, and lines for people: what is to run, and what
 * cannot. Building the addon takes minutes: where it has changed, the one that is there `isAddonKept`.
 */
export function planFor(root, commit) {
  const changed = changedFiles(root, commit)
  const compiled = changed.filter(isCompiled)
  const crates = [...new Set(changed.map(crateOf).filter(Boolean))]
  const rust = crates.length > 0 ? rustTests(root, crates) : { tested: [], args: [] }
  const isOlder = compiled.length > 0 && isAddonOlder(root, compiled)
  const through = isOlder ? [] : crates.flatMap(specsThrough)
  // In the table, a file of the addon has a second name for those who call its functions.
  const called = isOlder ? [] : compiled.map((file) => `${file}()`)
  const { wanted, unknown } = selectSpecs(root, [...changed, ...called], through)
  const isElsewhere = (file) =>
    rust.tested.includes(crateOf(file)) || (isOlder && isCompiled(file)) || EVERYWHERE.test(file)
  const untested = unknown.filter((file) => !file.endsWith('()') && !isElsewhere(file))
  const lines = [
    `changed since ${commit}: ${counted(changed.length, 'file')}, touched by ${counted(wanted.length, 'specification')}`,
  ]
  if (rust.tested.length > 0) lines.push(`cargo test of ${rust.tested.join(', ')}`)
  if (isOlder)
    lines.push(
      'not run: what goes through the addon, which is older than the change; npm run build:debug, then the same again',
    )
  const everywhere = changed.filter((file) => EVERYWHERE.test(file))
  if (everywhere.length > 0) lines.push(`${everywhere.join(', ')} may touch every test; npm test runs all`)
  if (untested.length > 0) lines.push(`no test is known for ${untested.join(', ')}; npm test runs all`)
  return {
    specs: wanted,
    cargo: rust.tested.length > 0 ? [rust.args] : [],
    lines,
    isAddonKept: compiled.length > 0 && hasAddon(root),
  }
}

const counted = (count, what) => `${count} ${what}${count === 1 ? '' : 's'}`
