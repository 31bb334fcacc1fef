// The hosts that can be installed from npm and configured for another model provider: how each is started, and the names of its tools.
// Each `turns` edits a file that a note names, runs a command that a note names, and runs a command that fails.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const PROMPT = 'Why does the ledger export skip rounding?'

const FILE = 'src/pool.js'
const COMMAND = 'node scripts/seed.mjs --all'
const FAILING = 'node scripts/settle.mjs'
export const STEPS = { FILE, COMMAND, FAILING }

/** opencode, and what is made of it; the variables of each begin with its own name. */
const likeOpencode = (name, npm, bin) => ({
  name,
  npm,
  bin,
  args: ['run', '--model', 'loopback/loopback', PROMPT],
  acp: { args: ['acp'] },
  terminal: { args: ['--model', 'loopback/loopback', '--prompt', PROMPT] },
  environment: () => {
    const prefix = bin.toUpperCase()
    return { [`${prefix}_DISABLE_AUTOUPDATE`]: '1', [`${prefix}_DISABLE_MODELS_FETCH`]: '1' }
  },
  prepare: (home, address) =>
    writeJson(join(home, '.config', bin), `${bin}.json`, {
      model: 'loopback/loopback',
      share: 'disabled',
      autoupdate: false,
      permission: { edit: 'allow', bash: 'allow' },
      provider: {
        loopback: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${address}/v1`, apiKey: 'loopback' },
          models: { loopback: { name: 'loopback', tool_call: true } },
        },
      },
    }),
  turns: (project) => [
    { name: 'read', input: { filePath: join(project, FILE) } },
    { name: 'edit', input: { filePath: join(project, FILE), oldString: 'open', newString: 'opened' } },
    { name: 'bash', input: { command: COMMAND, description: 'seed' } },
    { name: 'bash', input: { command: FAILING, description: 'settle' } },
  ],
})

export const HOSTS = {
  claude: {
    name: 'Claude Code',
    asksAtEnd: true,
    showsLines: true,
    npm: '@anthropic-ai/claude-code',
    bin: 'claude',
    args: ['-p', PROMPT, '--allowedTools', 'Bash,Edit,Read,Write,mcp__forge-memory'],
    acp: { npm: '@agentclientprotocol/claude-agent-acp', bin: 'claude-agent-acp', args: [] },
    terminal: {
      args: [PROMPT, '--allowedTools', 'Bash,Edit,Read,Write,mcp__forge-memory'],
      // What it asks a new user: the theme, whether the key is meant, whether folder and server are trusted.
      settle(home) {
        const projects = {
          [join(home, 'project')]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true },
        }
        const customApiKeyResponses = { approved: ['loopback'], rejected: [] }
        writeJson(home, '.claude.json', {
          hasCompletedOnboarding: true,
          theme: 'dark',
          projects,
          customApiKeyResponses,
        })
        writeJson(join(home, '.claude'), 'settings.json', { enableAllProjectMcpServers: true })
      },
    },
    environment: (address) => ({
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_API_KEY: 'loopback',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    turns: (project) => [
      { name: 'Read', input: { file_path: join(project, FILE) } },
      { name: 'Edit', input: { file_path: join(project, FILE), old_string: 'open', new_string: 'opened' } },
      { name: 'Bash', input: { command: COMMAND, description: 'seed' } },
      { name: 'Bash', input: { command: FAILING, description: 'settle' } },
    ],
  },
  gemini: {
    name: 'Gemini CLI',
    showsLines: true,
    npm: '@google/gemini-cli',
    bin: 'gemini',
    args: ['-p', PROMPT, '--yolo', '--model', 'gemini-2.5-flash', '--skip-trust'],
    // It reports neither the exit code nor the output of a command.
    acp: { args: ['--acp', '--yolo', '--model', 'gemini-2.5-flash', '--skip-trust'], without: ['failure'] },
    terminal: { args: ['-i', PROMPT, '--yolo', '--model', 'gemini-2.5-flash', '--skip-trust'] },
    environment: (address) => ({
      GOOGLE_GEMINI_BASE_URL: address,
      GEMINI_API_KEY: 'loopback',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      NO_BROWSER: '1',
    }),
    prepare: (home) =>
      writeJson(join(home, '.gemini'), 'settings.json', {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    turns: (project) => [
      { name: 'read_file', input: { file_path: join(project, FILE) } },
      {
        name: 'replace',
        input: { file_path: join(project, FILE), instruction: 'rename', old_string: 'open', new_string: 'opened' },
      },
      { name: 'run_shell_command', input: { command: COMMAND, description: 'seed' } },
      { name: 'run_shell_command', input: { command: FAILING, description: 'settle' } },
    ],
  },
  qwen: {
    name: 'Qwen Code',
    npm: '@qwen-code/qwen-code',
    bin: 'qwen',
    // Without a terminal it starts no session hooks.
    without: ['start'],
    args: ['-p', PROMPT, '--yolo', '--auth-type', 'openai', '--model', 'loopback'],
    terminal: { args: ['-i', PROMPT, '--yolo', '--auth-type', 'openai', '--model', 'loopback'], without: [] },
    environment: (address) => ({
      OPENAI_BASE_URL: `${address}/v1`,
      OPENAI_API_KEY: 'loopback',
      OPENAI_MODEL: 'loopback',
    }),
    prepare: (home) =>
      writeJson(join(home, '.qwen'), 'settings.json', {
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    turns: (project) => [
      { name: 'read_file', input: { file_path: join(project, FILE) } },
      { name: 'edit', input: { file_path: join(project, FILE), old_string: 'open', new_string: 'opened' } },
      { name: 'run_shell_command', input: { command: COMMAND, description: 'seed', is_background: false } },
      { name: 'run_shell_command', input: { command: FAILING, description: 'settle', is_background: false } },
    ],
  },
  opencode: likeOpencode('opencode', 'opencode-ai', 'opencode'),
  kilo: likeOpencode('Kilo', '@kilocode/cli', 'kilo'),
  // It needs Node 22.19.
  pi: {
    name: 'pi',
    npm: '@earendil-works/pi-coding-agent',
    bin: 'pi',
    args: ['-p', PROMPT, '--approve', '--offline', '--model', 'loopback/loopback'],
    terminal: { args: [PROMPT, '--approve', '--offline', '--model', 'loopback/loopback'] },
    environment: () => ({ PI_TELEMETRY: '0' }),
    prepare: (home, address) =>
      writeJson(join(home, '.pi/agent'), 'models.json', {
        providers: {
          loopback: {
            baseUrl: `${address}/v1`,
            api: 'openai-completions',
            apiKey: 'loopback',
            models: [{ id: 'loopback' }],
          },
        },
      }),
    turns: () => [
      { name: 'read', input: { path: FILE } },
      { name: 'edit', input: { path: FILE, edits: [{ oldText: 'open', newText: 'opened' }] } },
      { name: 'bash', input: { command: COMMAND } },
      { name: 'bash', input: { command: FAILING } },
    ],
  },
  codex: {
    name: 'Codex',
    asksAtEnd: true,
    npm: '@openai/codex',
    bin: 'codex',
    // It has no hook for the end of a session.
    without: ['end'],
    // Nobody is there to approve each hook.
    args: [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-hook-trust',
      '--dangerously-bypass-approvals-and-sandbox',
      PROMPT,
    ],
    terminal: {
      args: ['--dangerously-bypass-hook-trust', '--dangerously-bypass-approvals-and-sandbox', PROMPT],
    },
    environment: () => ({ LOOPBACK_KEY: 'loopback' }),
    prepare: (home, address) =>
      writeText(
        join(home, '.codex'),
        'config.toml',
        `model = "loopback"
model_provider = "loopback"
[model_providers.loopback]
name = "loopback"
base_url = "${address}/v1"
env_key = "LOOPBACK_KEY"
wire_api = "responses"
[projects."${join(home, 'project')}"]
trust_level = "trusted"
`,
      ),
    turns: () => [
      { name: 'exec_command', input: { cmd: `cat ${FILE}` } },
      // It offers the tool of that name only to models that it knows, and applies a patch in a shell call to all.
      {
        name: 'exec_command',
        input: {
          cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: ${FILE}\n@@\n-export const state = "open"\n+export const state = "opened"\n*** End Patch\nEOF`,
        },
      },
      { name: 'exec_command', input: { cmd: COMMAND } },
      { name: 'exec_command', input: { cmd: FAILING } },
    ],
  },
  'copilot-cli': {
    name: 'Copilot CLI',
    asksAtEnd: true,
    npm: '@github/copilot',
    bin: 'copilot',
    args: ['-p', PROMPT, '--allow-all-tools'],
    terminal: { args: ['-i', PROMPT, '--allow-all-tools'] },
    environment: (address) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${address}/v1`,
      COPILOT_PROVIDER_API_KEY: 'loopback',
      COPILOT_MODEL: 'loopback',
    }),
    // Hooks of a project run once its folder is trusted.
    prepare: (home) => {
      const trusted = [join(home, 'project')]
      writeJson(join(home, '.copilot'), 'config.json', { trusted_folders: trusted, trustedFolders: trusted })
    },
    turns: (project) => [
      { name: 'view', input: { path: join(project, FILE) } },
      { name: 'edit', input: { path: join(project, FILE), old_str: 'open', new_str: 'opened' } },
      { name: 'bash', input: { command: COMMAND, description: 'seed' } },
      { name: 'bash', input: { command: FAILING, description: 'settle' } },
    ],
  },
}

function writeJson(folder, name, value) {
  writeText(folder, name, JSON.stringify(value))
}

function writeText(folder, name, text) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text)
}
