// The names and defaults that `crates/settings` declares. `UPDATE=1 cargo test -p forge-memory-settings` writes this file.

/** The settings of a project; those of the user, in the user's own folder; and the user's store and embedder for all projects. */
export const PROJECT_FILE = '.forge.json'
export const OWN_FILE = 'settings.json'
export const OWN_STORE_FILE = 'config.json'

/** What the user's settings are that are not given. */
export const OWN_DEFAULTS = {
  redact: false,
  review: 'off',
  search: 'all',
  capture: 'all',
} as const

/** The variables of the environment that are read. */
export type Variable =
  | 'FORGE_HOME'
  | 'FORGE_OPENBRAIN_URL'
  | 'OPENBRAIN_KEY'
  | 'FORGE_EMBEDDER_KEY'
  | 'FORGE_CREATED_BY'
  | 'FORGE_AS'
  | 'PGPASSWORD'
  | 'PGUSER'
  | 'DATABASE_URL'
  | 'FORGE_MEMORY_TOKEN'
  | 'FORGE_MEMORY_HOOK'
  | 'FORGE_MEMORY_HOOK_DEADLINE_MS'
  | 'FORGE_MEMORY'
  | 'FORGE_PLAN'
  | 'HF_ENDPOINT'
  | 'PLAN_FORGE_HTTP_PORT'
  | 'FORGE_HUB_AUTH'
  | 'PLAN_FORGE_WS_PORT'
  | 'NO_COLOR'
  | 'FORCE_COLOR'
  | 'COLORTERM'
  | 'COLUMNS'
  | 'FORCE_HYPERLINK'
  | 'PAGER'
  | 'LESS'
  | 'VISUAL'
  | 'EDITOR'
  | 'TERM'
  | 'TERM_PROGRAM'
  | 'VTE_VERSION'
  | 'KONSOLE_VERSION'
  | 'KITTY_WINDOW_ID'
  | 'WT_SESSION'
  | 'DOMTERM'
  | 'ConEmuTask'
  | 'CI'
  | 'TMUX'
  | 'STY'
  | 'LANG'
  | 'LC_ALL'
  | 'LC_CTYPE'
  | 'PATH'
  | 'INIT_CWD'
  | 'FORGE_MEMORY_DASHBOARD'

/** What those count as that are not set. */
export const DEFAULTS = {
  HF_ENDPOINT: 'https://huggingface.co',
  PLAN_FORGE_HTTP_PORT: '3100',
  FORGE_HUB_AUTH: 'local',
  PLAN_FORGE_WS_PORT: '3101',
  LESS: 'FRX',
} as const
