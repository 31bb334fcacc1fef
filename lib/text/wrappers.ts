/** The plain words in which hosts wrap what they or a user say. `crates/text/src/controls.rs` has the same. */
const ROLES = 'system|user|assistant|human|instructions|invoke|context|rules|task|thinking|tool|important'
/** The beginnings of names that only such wrappers have. */
const STARTS = 'system-|system_|user-|user_|antml:|function_|tool_|environment_|command-|local-command-'
const WRAPPER = new RegExp(`<(?=\\||!--|/?(?:${STARTS})|/(?:${ROLES})(?![a-z0-9_:-])|/[a-z0-9]*[-_:])|-->`, 'gi')

/**
 * Shows the tags of hosts' wrappers, the special tokens of models and comments broken, by a backslash behind the bracket: text of a record
 * ends no wrapper and begins none. Tags of HTML are left alone.
 */
export function breakWrappers(text: string): string {
  return text.replace(WRAPPER, (found) => (found === '<' ? '<\\' : '--\\>'))
}

/** The same of JSON, whose values stay what they are: the bracket is an escape. */
export function breakJsonWrappers(json: string): string {
  return json.replace(WRAPPER, (found) => (found === '<' ? '\\u003c' : '--\\u003e'))
}
