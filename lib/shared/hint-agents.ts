import type { SyncMemoriesOptions } from '../native.js'

/** The agents for which `sync-memories` writes a file, and `all` of them. */
export const HINT_AGENTS = [
  'copilot',
  'claude',
  'cursor',
  'gemini',
  'qwen',
  'windsurf',
  'devin',
  'kiro',
  'cline',
  'roo',
  'continue',
  'junie',
  'all',
] as const satisfies readonly NonNullable<SyncMemoriesOptions['agent']>[]
