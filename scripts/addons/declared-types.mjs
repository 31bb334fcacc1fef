// index.d.ts is committed, and its functions are written by the macros of the crates that a build has compiled. One that was compiled without
// napi's variable has written nothing, so only crates whose build script has them compiled again for it may use those macros.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The names that the sources declare for JavaScript, and that the written types lack. */
export function missingTypes(root, types) {
  return rustFiles(join(root, 'src'))
    .flatMap((file) => declaredIn(readFileSync(file, 'utf8')))
    .filter((name) => !isDeclared(types, name))
}

const rustFiles = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.rs'))
    .map((name) => join(folder, name))

/** An attribute of napi, the lines of others between, and what it is on. */
const EXPORTED =
  /^[ \t]*#\[napi(?:\((?<options>[^\]]*(?:\[\][^\]]*)*)\))?\]\n(?:[ \t]*(?:#\[|\/\/).*\n)*[ \t]*pub (?:async |unsafe )*(?<kind>struct|fn) (?<name>\w+)/gm

function declaredIn(source) {
  return Array.from(source.matchAll(EXPORTED), ({ groups }) => groups)
    .filter(({ options = '' }) => !/skip_typescript|module_exports|constructor/.test(options))
    .map(({ options = '', kind, name }) => {
      const given = /js_name = "(\w+)"/.exec(options)?.[1]
      return given ?? (kind === 'fn' ? name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()) : name)
    })
}

function isDeclared(types, name) {
  return new RegExp(`\\b(?:interface|class) ${name}\\b|\\b${name}(?:\\(|<)`).test(types)
}
