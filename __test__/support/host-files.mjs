// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of hosts
// The settings files of hosts, with what other people have in them.
import { parse as parseJsonc } from 'jsonc-parser'
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser'
import { parse as parseYaml } from 'yaml'

export const APPS = '.config'
export const inJson = (text) => parseJsonc(text.replace(/^\ufeff/, ''), [], { allowTrailingComma: true })
export const inToml = (text) => getStaticTOMLValue(parseTOML(text.replace(/^\ufeff/, '')))
export const inYaml = (text) => parseYaml(text.replace(/^\ufeff/, ''))

const MINE =
  '{\n  // mine\n  "KEY": {\n    "other": { "command": "other", "args": [] }, // stays\n  },\n  "theme": "dark",\n}\n'
const mine = (key) => MINE.replace('KEY', key)
const plain = { command: process.execPath }
const at = (key) => (file) => file[key]?.['forge-memory']

/** Where each host reads servers: the file, how it is read, the place of the entry, what it must hold, and settings of others. */
const SERVERS = {
  claude: {
    project: ['.mcp.json', inJson, at('mcpServers'), plain, mine('mcpServers')],
    user: [
      '.claude.json',
      inJson,
      at('mcpServers'),
      plain,
      '{"numStartups": 7, "projects": {"/a": {"mcpServers": {"db": {"command": "x"}}, "history": []}}, "mcpServers": {"github": {"type": "http", "url": "u", "headers": {"A": "${GH}"}}}}',
    ],
  },
  cursor: {
    project: [
      '.cursor/mcp.json',
      inJson,
      at('mcpServers'),
      plain,
      '{"mcpServers":{"figma":{"url":"https://x"},"db":{"command":"db","envFile":"${workspaceFolder}/.env"}}}',
    ],
    user: ['.cursor/mcp.json', inJson, at('mcpServers'), plain, '{"mcpServers":{}}'],
  },
  copilot: {
    project: [
      '.vscode/mcp.json',
      inJson,
      at('servers'),
      { type: 'stdio', ...plain },
      mine('servers').replace('"theme": "dark"', '"inputs": [{ "type": "promptString", "id": "k", "password": true }]'),
    ],
    user: [`${APPS}/Code/User/mcp.json`, inJson, at('servers'), { type: 'stdio', ...plain }, mine('servers')],
  },
  'copilot-cli': {
    project: [
      '.github/mcp.json',
      inJson,
      at('mcpServers'),
      { type: 'stdio', ...plain },
      '{"mcpServers":{"a":{"type":"local","command":"a","tools":["*"]}}}',
    ],
    user: [
      '.copilot/mcp-config.json',
      inJson,
      at('mcpServers'),
      { type: 'local', tools: ['*'], ...plain },
      '{"mcpServers":{"a":{"type":"local","command":"a","tools":["*"]}}}\n',
    ],
  },
  codex: {
    project: [
      '.codex/config.toml',
      inToml,
      at('mcp_servers'),
      plain,
      '# mine\n[mcp_servers.docs]\nurl = "https://x" # why\n',
    ],
    user: [
      '.codex/config.toml',
      inToml,
      at('mcp_servers'),
      plain,
      '# header\nmodel = "o3" # best\n\n[profiles.fast]\nmodel = "mini"\n\n[mcp_servers.docs]\nurl = "https://x"\nbearer_token_env_var = "T"\n\n[mcp_servers."with.dot"]\ncommand = "x"\nenv = { A = "1" }\n\n[projects."/home/u/app"]\ntrust_level = "trusted"\n\n[hooks.state."/a:stop:0:0"]\ntrusted_hash = "sha256:1"\n\n[[hooks.Stop]]\nmatcher = ""\n# the end',
    ],
  },
  gemini: {
    project: [
      '.gemini/settings.json',
      inJson,
      at('mcpServers'),
      plain,
      '{\n\t// mine\n\t"mcpServers": {"a": {"httpUrl": "u", "trust": true}},\n\t"context": {"fileName": ["AGENTS.md"]}\n}',
    ],
    user: ['.gemini/settings.json', inJson, at('mcpServers'), plain, '{}'],
  },
  qwen: {
    project: ['.qwen/settings.json', inJson, at('mcpServers'), plain, '{ "disableAllHooks": false }'],
    user: ['.qwen/settings.json', inJson, at('mcpServers'), plain, mine('mcpServers')],
  },
  opencode: {
    project: [
      'opencode.jsonc',
      inJson,
      at('mcp'),
      { type: 'local', enabled: true },
      '{\n  "$schema": "https://opencode.ai/config.json",\n  // local\n  "mcp": { "local": { "type": "local", "command": ["x", "y"], "environment": { "A": "{env:A}" } } },\n  "plugin": ["p"],\n}\n',
    ],
    user: ['.config/opencode/opencode.json', inJson, at('mcp'), { type: 'local', enabled: true }, '{"mcp":{}}'],
  },
  kilo: {
    project: [
      'kilo.jsonc',
      inJson,
      at('mcp'),
      { type: 'local', enabled: true },
      '{\n  // local\n  "mcp": { "local": { "type": "local", "command": ["x", "y"] } },\n}\n',
    ],
    user: ['.config/kilo/kilo.json', inJson, at('mcp'), { type: 'local', enabled: true }, '{"mcp":{}}'],
  },
  windsurf: {
    user: [
      '.codeium/windsurf/mcp_config.json',
      inJson,
      at('mcpServers'),
      plain,
      '{"mcpServers":{"r":{"serverUrl":"${env:T}","disabledTools":["x"]}}}',
    ],
  },
  devin: {
    project: ['.devin/mcp_config.json', inJson, at('mcpServers'), plain, mine('mcpServers')],
    user: [
      '.config/devin/mcp_config.json',
      inJson,
      at('mcpServers'),
      plain,
      '{"mcpServers":{"a":{"url":"u","transport":"sse"}}}',
    ],
  },
  zed: {
    project: ['.zed/settings.json', inJson, at('context_servers'), plain, mine('context_servers')],
    user: [
      '.config/zed/settings.json',
      inJson,
      at('context_servers'),
      plain,
      '// Zed settings\n//\n// For information, see the docs.\n{\n  "context_servers": {\n    "x": { "source": "custom", "command": "x", "args": [], },\n    "ext": { "settings": {} },\n  },\n  "theme": "One",\n}\n',
    ],
  },
  cline: {
    user: [
      '.cline/data/settings/cline_mcp_settings.json',
      inJson,
      at('mcpServers'),
      plain,
      '{"mcpServers":{"n":{"transport":{"type":"stdio","command":"n"},"disabled":false,"autoApprove":["a"]}}}',
    ],
  },
  roo: {
    project: [
      '.roo/mcp.json',
      inJson,
      at('mcpServers'),
      plain,
      '{"mcpServers":{"a":{"command":"a","alwaysAllow":["x"],"watchPaths":[],"env":{"K":"${env:K}"}}}}',
    ],
    user: [
      `${APPS}/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json`,
      inJson,
      at('mcpServers'),
      plain,
      '{"mcpServers":{}}',
    ],
  },
  kiro: {
    project: [
      '.kiro/settings/mcp.json',
      inJson,
      at('mcpServers'),
      plain,
      '{"mcpServers":{"a":{"command":"a","autoApprove":"*"}}}',
    ],
    user: ['.kiro/settings/mcp.json', inJson, at('mcpServers'), plain, mine('mcpServers')],
  },
  goose: {
    project: [
      '.agents/plugins/forge-memory/.mcp.json',
      inJson,
      at('mcpServers'),
      plain,
      '{"mcpServers":{"a":{"command":"a"}}}',
    ],
    user: [
      '.config/goose/config.yaml',
      inYaml,
      at('extensions'),
      { cmd: process.execPath, type: 'stdio', enabled: true, name: 'forge-memory' },
      '# Goose\nGOOSE_PROVIDER: anthropic # mine\nextensions:\n  # the builtin\n  developer: &dev\n    bundled: true\n    type: builtin\n    timeout: 300\n  "quoted-key":\n    type: stdio\n    cmd: x\n    args:\n      - a\n    env_keys: [TOKEN]\n\n# the end\nGOOSE_MODE: auto\n',
    ],
  },
  continue: {
    project: [
      '.continue/mcpServers/forge-memory.json',
      inJson,
      at('mcpServers'),
      plain,
      '{"mcpServers":{"a":{"command":"a"}}}',
    ],
    user: [
      '.continue/config.yaml',
      inYaml,
      (file) => file.mcpServers?.find(({ name }) => name === 'forge-memory'),
      { command: process.execPath, name: 'forge-memory' },
      '# mine\nname: me\nversion: 0.0.1\nmodels:\n  - name: a # b\n    provider: x\nmcpServers:\n  # theirs\n  - name: other\n    command: x\n    args: ["a"]\nrules: []\n',
    ],
  },
  amp: {
    project: [
      '.amp/settings.jsonc',
      inJson,
      (file) => file['amp.mcpServers']?.['forge-memory'],
      plain,
      '{\n  "amp.permissions": [{ "tool": "Bash", "action": "ask" }], // mine\n  "amp.mcpServers": { "a": { "command": "a" } }\n}\n',
    ],
    user: [
      '.config/amp/settings.json',
      inJson,
      (file) => file['amp.mcpServers']?.['forge-memory'],
      plain,
      '{"amp.notifications.enabled":true}',
    ],
  },
  junie: {
    project: ['.junie/mcp/mcp.json', inJson, at('mcpServers'), plain, '{"mcpServers":{"a":{"url":"u"}}}'],
    user: ['.junie/mcp/mcp.json', inJson, at('mcpServers'), plain, mine('mcpServers')],
  },
  antigravity: {
    project: ['.agents/mcp_config.json', inJson, at('mcpServers'), plain, '{"mcpServers":{"a":{"serverUrl":"u"}}}'],
    user: ['.gemini/config/mcp_config.json', inJson, at('mcpServers'), plain, mine('mcpServers')],
  },
  droid: {
    project: ['.factory/mcp.json', inJson, at('mcpServers'), { type: 'stdio', ...plain }, '{"mcpServers":{}}'],
    user: ['.factory/mcp.json', inJson, at('mcpServers'), { type: 'stdio', ...plain }, mine('mcpServers')],
  },
  'claude-desktop': {
    user: [
      `${APPS}/Claude/claude_desktop_config.json`,
      inJson,
      at('mcpServers'),
      plain,
      '{"preferences":{"x":1},"mcpServers":{"My Server":{"command":"C:\\\\x\\\\y.exe"}}}',
    ],
  },
}

export const CASES = Object.entries(SERVERS).flatMap(([agent, scopes]) =>
  Object.entries(scopes).map(([scope, [path, read, place, wanted, others]]) => ({
    agent,
    scope,
    path,
    read,
    place,
    wanted,
    others,
  })),
)
