// The one reader of the environment. `crates/settings` declares the variables.
import { DEFAULTS, type Variable } from './declared-settings.js'

/** An environment, as far as it is read. */
export type Environment = { readonly [name in Variable]?: string | undefined }

/** Returns a variable as it is set; its default when it is not, or empty. */
export function variable(name: keyof typeof DEFAULTS, env?: Environment): string
export function variable(name: Variable, env?: Environment): string | undefined
export function variable(name: Variable, env: Environment = process.env): string | undefined {
  const given = env[name]
  return given || ((DEFAULTS as Environment)[name] ?? given)
}
