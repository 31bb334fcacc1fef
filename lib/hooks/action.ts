// Classifies tool calls by the shape of their arguments, because the names of tools differ between hosts and change.
import type { Action } from '../moment/evidence.js'
import { type Fields, object, objectIn, text } from './payload.js'

const PATH_FIELDS = ['file_path', 'filePath', 'notebook_path', 'absolute_path', 'target_file', 'path', 'filename']
const TEXT_FIELDS = [
  'old_string',
  'new_string',
  'oldString',
  'newString',
  'content',
  'new_source',
  'code_edit',
  'newText',
  'diff',
  'new_str',
  'old_str',
  'file_text',
]
const CHANGES = /edit|write|create|replace|patch|insert|update|delete|rename|apply|str_?replace/i
const READS = /^(read|view|open|cat|get)|read_?file|view_?file/i
const SEARCHES = /glob|grep|search|list|find|ls|fetch|web/i
const PATCH = /^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$|^\+\+\+ (?:b\/)?([^\t\n]+)/gm
const IS_PATCH = /^\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: )/m
/** Codex has no other tool for it with models that it does not know. */
const PATCH_IN_SHELL = /^\s*(?:cd\s+\S+\s*&&\s*)?apply_patch\b[^\n]*\n?[^\n]*\*\*\* Begin Patch/
const PATCH_READ_MAX = 256 * 1024

/** The arguments of a tool call, and its name, wherever the host puts them. */
export function toolIn(payload: Fields): { name: string; input: Fields } | undefined {
  const call = object(payload.tool_call) ?? object(payload.preToolUse) ?? object(payload.postToolUse) ?? payload
  const name = text(call, 'tool_name', 'toolName', 'name', 'tool') ?? ''
  for (const key of ['tool_input', 'toolArgs', 'toolInput', 'parameters', 'input', 'args', 'arguments']) {
    const input = objectIn(call[key])
    if (input !== undefined) return { name, input }
    // Some hosts pass a patch as plain text.
    if (typeof call[key] === 'string' && IS_PATCH.test(String(call[key]).slice(0, 1000)))
      return { name, input: { patch: call[key] } }
  }
  const isShell = text(payload, 'command') !== undefined && name === ''
  return isShell ? { name: 'shell', input: payload } : undefined
}

/** Returns what a tool call changes, reads or runs; undefined for other calls. */
export function actionOf({ name, input }: { name: string; input: Fields }): Action | undefined {
  const line = text(input, 'command', 'command_line', 'cmd')
  const isPatch = line !== undefined && (line.startsWith('*** Begin Patch') || PATCH_IN_SHELL.test(line.slice(0, 1000)))
  const patch = text(input, 'patch', 'patchText') ?? (isPatch ? line : undefined)
  if (patch !== undefined) return patched(patch)
  if (line !== undefined && !/read|edit|write|view/i.test(name)) return { kind: 'command', line }
  const paths = pathsOf(input)
  if (paths.length === 0) return undefined
  const texts = textsOf(input)
  if (READS.test(name)) return { kind: 'read', paths, texts: [] }
  if (SEARCHES.test(name) && !CHANGES.test(name)) return undefined
  // An unknown tool with a path and a text changes the file.
  return CHANGES.test(name) || texts.length > 0 ? { kind: 'edit', paths, texts } : undefined
}

function patched(patch: string): Action | undefined {
  const head = patch.slice(0, PATCH_READ_MAX)
  const paths = [...head.matchAll(PATCH)].flatMap(([, one, moved, other]) => one ?? moved ?? other ?? [])
  // `@@ fn send(` says which declaration the following lines are in.
  const lines = head.split('\n').filter((line) => /^([+-](?![+-]{2} )|@@ .)/.test(line))
  const changed = lines.map((line) => line.replace(/^(@@ |[+-])/, ''))
  return paths.length === 0 ? undefined : { kind: 'edit', paths: [...new Set(paths)], texts: [changed.join('\n')] }
}

function pathsOf(input: Fields): string[] {
  const own = text(input, ...PATH_FIELDS)
  const listed = [input.files, input.paths, input.edits].flatMap((list) => (Array.isArray(list) ? list : []))
  const paths = listed.flatMap((each) => (typeof each === 'string' ? each : (text(object(each), ...PATH_FIELDS) ?? [])))
  return [...new Set([...(own === undefined ? [] : [own]), ...paths])]
}

function textsOf(input: Fields): string[] {
  const edits: unknown[] = Array.isArray(input.edits) ? input.edits : []
  const parts = [input, ...edits.map(object).filter((each) => each !== undefined)]
  return parts.flatMap((part) => TEXT_FIELDS.flatMap((name) => text(part, name) ?? []))
}
