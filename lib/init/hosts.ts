// The table of hosts: how they are detected, which files they read, and their limits.
import type { Form } from './forms.js'
import type { AgentName, HookLists, HookModule, Host, ServerFile } from './host.js'
import { hookCommand, hookWords, type Program } from './launch.js'
import { ampPlugin, clineHook, clinePlugin, opencodePlugin, piPlugin } from './plugins.js'

const PLAIN: Form = { command: 'command' }
const STDIO: Form = { command: 'command', always: { type: 'stdio' } }
const LOCAL: Form = { command: 'command', fresh: { type: 'local', tools: ['*'] } }
const CODEX: Form = { command: 'command', fresh: { startup_timeout_sec: 20 } }
const OPENCODE: Form = { command: 'words', always: { type: 'local' }, fresh: { enabled: true } }
const GOOSE: Form = {
  command: 'cmd',
  fresh: { name: 'forge-memory', type: 'stdio', enabled: true, timeout: 60 },
}
const NAMED: Form = { command: 'command', always: { name: 'forge-memory' } }

const json = (paths: string[], more: Partial<ServerFile> = {}): ServerFile => {
  return { paths, format: 'json', list: 'mcpServers', form: PLAIN, ...more }
}

/** The same hooks in a file of a project and in one of the user. */
const inBoth = (hooks: Omit<HookLists, 'path'>, project: string, user: string): Host['hooks'] => {
  return { project: [{ path: project, ...hooks }], user: [{ path: user, ...hooks }] }
}

const FOLDER = '$' + '{workspaceFolder}'
const CLAUDE_FOLDER = '$' + '{CLAUDE_PROJECT_DIR:-.}'
const AGENTS_MD = ['AGENTS.md']
/** Gemini CLI and Antigravity read it. */
export const GEMINI_MD = 'GEMINI.md'
const COPILOT_MD = ['.github/copilot-instructions.md']

/** The timeout of hooks in seconds; a hook ends sooner by itself. */
const TIMEOUT = { timeout: 5 }
/** The timeout in milliseconds. At least 1000, because some releases of Qwen Code read smaller numbers as seconds. */
const TIMEOUT_MS = { timeout: 5000 }

const CLAUDE_HOOKS: Omit<HookLists, 'path'> = {
  style: 'groups',
  events: [
    'SessionStart',
    'UserPromptSubmit',
    'PreToolUse',
    'PostToolUse',
    'PostToolUseFailure',
    'PreCompact',
    'Stop',
    'SubagentStop',
    'SessionEnd',
  ],
  before: 'Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell',
  after: 'Bash',
  more: TIMEOUT,
}

const CURSOR_HOOKS: Omit<HookLists, 'path'> = {
  style: 'plain',
  events: [
    'sessionStart',
    'beforeSubmitPrompt',
    'postToolUse',
    'postToolUseFailure',
    'afterAgentResponse',
    'preCompact',
    'stop',
    'subagentStop',
    'sessionEnd',
  ],
  head: { version: 1 },
}

const COPILOT_HOOKS: Omit<HookLists, 'path'> = {
  style: 'shells',
  events: [
    'sessionStart',
    'userPromptSubmitted',
    'preToolUse',
    'postToolUse',
    'postToolUseFailure',
    'agentStop',
    'subagentStop',
    'sessionEnd',
  ],
  more: { timeoutSec: 5 },
  head: { version: 1 },
}

const CODEX_HOOKS: Omit<HookLists, 'path'> = {
  style: 'groups',
  events: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PreCompact', 'Stop', 'SubagentStop'],
  before: 'Bash|apply_patch',
  after: 'Bash',
  more: TIMEOUT,
  says: 'codex',
  hasWindows: true,
  isPosix: true,
}

const GEMINI_HOOKS: Omit<HookLists, 'path'> = {
  style: 'groups',
  events: ['SessionStart', 'BeforeAgent', 'AfterTool', 'AfterAgent', 'SessionEnd'],
  after: 'read_file|write_file|replace|run_shell_command',
  more: { name: 'forge-memory', ...TIMEOUT_MS },
  says: 'gemini',
}

const QWEN_HOOKS: Omit<HookLists, 'path'> = {
  style: 'groups',
  events: [
    'SessionStart',
    'UserPromptSubmit',
    'PostToolUse',
    'PostToolUseFailure',
    'PreCompact',
    'Stop',
    'SubagentStop',
    'SessionEnd',
  ],
  after: 'read_file|write_file|edit|run_shell_command',
  more: TIMEOUT_MS,
  says: 'qwen',
}

const DEVIN_HOOKS: Omit<HookLists, 'path'> = {
  style: 'groups',
  events: ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd'],
  after: 'read|write|edit|apply_patch|exec',
  more: TIMEOUT,
  says: 'devin',
}

const DROID_HOOKS: Omit<HookLists, 'path'> = {
  style: 'groups',
  events: ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PreCompact', 'Stop', 'SubagentStop', 'SessionEnd'],
  after: 'Read|Edit|MultiEdit|Create|ApplyPatch|Execute',
  more: TIMEOUT,
  says: 'droid',
}

/** Neither takes context: what their agents mark is learned. */
const GOOSE_HOOKS: Omit<HookLists, 'path'> = {
  style: 'groups',
  events: ['Stop', 'SessionEnd'],
  more: TIMEOUT,
  says: 'goose',
}

const WINDSURF_HOOKS: Omit<HookLists, 'path'> = { style: 'plain', events: ['post_cascade_response'], says: 'windsurf' }

/** It starts hooks in the folder of their file, and has them by the names of who wrote them. */
const ANTIGRAVITY_HOOKS: Omit<HookLists, 'path'> = {
  style: 'plain',
  events: ['SessionStart', 'PreInvocation', 'PostToolUse', 'Stop'],
  after: '*',
  under: ['forge-memory'],
  says: 'antigravity',
  isNode: true,
}

/** Junie accepts notes before a tool, and has no event after one. */
const JUNIE_HOOKS: Omit<HookLists, 'path'> = {
  style: 'groups',
  events: ['PreToolUse'],
  before: 'Bash|Edit|Write',
  more: TIMEOUT,
  says: 'junie',
}

const opencodeModule = (path: string, host = 'opencode'): HookModule => ({
  path,
  text: (program) => opencodePlugin(hookWords(program), host),
})
const piModule = (path: string): HookModule => ({ path, text: (program) => piPlugin(hookWords(program)) })
const ampModule = (path: string): HookModule => ({ path, text: (program) => ampPlugin(hookWords(program)) })
const CLINE_EVENTS = { PreToolUse: 'PreToolUse', PostToolUse: 'PostToolUse', SessionShutdown: 'SessionEnd' }
const clineModules = (executables: string, plugins: string): HookModule[] => [
  ...Object.entries(CLINE_EVENTS).map(([name, event]) => ({
    path: `${executables}/${name}`,
    isExecutable: true,
    text: (program: Program) => clineHook(hookCommand(program, 'EVENT', './').split(' EVENT')[0] ?? '', event),
  })),
  { path: `${plugins}/forge-memory.js`, text: (program) => clinePlugin(hookWords(program)) },
]

const NOTES_AFTER_TOOL = 'takes no note before a tool runs: what is known is told right after it'
const NOTES_DISPUTED =
  'may drop what hooks tell it after a tool, and takes no note before one: the MCP tools are the way that is sure'
const NO_HOOKS = 'has no hooks: notes reach it through the MCP tools and its instruction file only'
const NOTES_BEFORE_MODEL =
  'takes notes at its start and before the model is called: those about files and commands come after a tool, with the next request'
const PI_SERVERS =
  'reads MCP servers since its release 1.0; in an earlier one the command line is its way to the memory'
const DROID_FILE = 'reads the hooks of settings.json only for events of which its hooks.json has none'
const BY_DOCUMENTATION = 'these files are known by its documentation only; doctor --agents checks them'
const NO_CONTEXT = 'has hooks that hand nothing to the agent: what it marks is stored, and it asks for notes itself'

export const HOSTS: Record<AgentName, Host> = {
  claude: {
    title: 'Claude Code',
    traces: {
      project: ['.claude', '.mcp.json', 'CLAUDE.md'],
      user: ['<claude>', '<home>/.claude.json'],
      programs: ['claude'],
    },
    server: {
      project: json(['.mcp.json'], { root: CLAUDE_FOLDER }),
      user: json(['<claude>/.claude.json', '<home>/.claude.json']),
    },
    hooks: {
      project: [
        {
          path: '.claude/settings.json',
          root: '$CLAUDE_PROJECT_DIR/',
          isPosix: process.platform !== 'win32',
          ...CLAUDE_HOOKS,
        },
      ],
      user: [{ path: '<claude>/settings.json', hasExec: true, ...CLAUDE_HOOKS }],
    },
    texts: { project: { paths: ['.claude/CLAUDE.md', 'CLAUDE.md'] }, user: { paths: ['<claude>/CLAUDE.md'] } },
    skills: { project: '.claude/skills', user: '<claude>/skills' },
    startSeconds: 30,
    lacks: { project: ['asks you to approve a server of .mcp.json once'] },
  },
  cursor: {
    title: 'Cursor',
    traces: { project: ['.cursor', '.cursorrules'], user: ['<home>/.cursor'], programs: ['cursor', 'cursor-agent'] },
    server: { project: json(['.cursor/mcp.json'], { root: FOLDER }), user: json(['<home>/.cursor/mcp.json']) },
    hooks: inBoth(CURSOR_HOOKS, '.cursor/hooks.json', '<home>/.cursor/hooks.json'),
    texts: { project: { paths: AGENTS_MD } },
    lacks: {
      project: [NOTES_DISPUTED],
      user: [NOTES_DISPUTED, 'has no instruction file of the user: its rules are in the settings of the editor'],
    },
  },
  copilot: {
    title: 'Visual Studio Code with Copilot',
    traces: {
      project: [
        '.vscode/mcp.json',
        '.github/copilot-instructions.md',
        '.github/hooks',
        '.github/prompts',
        '.github/agents',
      ],
      user: ['<apps>/Code/User'],
      programs: ['code'],
    },
    server: {
      project: json(['.vscode/mcp.json'], { list: 'servers', form: STDIO, root: FOLDER }),
      user: json(['<apps>/Code/User/mcp.json'], { list: 'servers', form: STDIO }),
    },
    hooks: inBoth(COPILOT_HOOKS, '.github/hooks/forge-memory.json', '<copilot>/hooks/forge-memory.json'),
    texts: { project: { paths: COPILOT_MD } },
    lacks: { user: ['named profiles of the editor have a mcp.json of their own, which is not written'] },
  },
  'copilot-cli': {
    title: 'Copilot CLI',
    traces: { project: ['.github/mcp.json'], user: ['<copilot>'], programs: ['copilot'] },
    server: {
      project: json(['.github/mcp.json'], { form: STDIO }),
      user: json(['<copilot>/mcp-config.json'], { form: LOCAL }),
    },
    hooks: inBoth(COPILOT_HOOKS, '.github/hooks/forge-memory.json', '<copilot>/hooks/forge-memory.json'),
    texts: { project: { paths: COPILOT_MD }, user: { paths: ['<copilot>/copilot-instructions.md'] } },
    lacks: { project: ['starts the server of a project only in a folder that you have trusted'] },
  },
  codex: {
    title: 'Codex',
    traces: { project: ['.codex'], user: ['<codex>'], programs: ['codex'] },
    server: {
      project: { paths: ['.codex/config.toml'], format: 'toml', list: 'mcp_servers', form: CODEX },
      user: { paths: ['<codex>/config.toml'], format: 'toml', list: 'mcp_servers', form: CODEX },
    },
    hooks: inBoth(CODEX_HOOKS, '.codex/hooks.json', '<codex>/hooks.json'),
    texts: {
      project: { paths: ['AGENTS.override.md', 'AGENTS.md'] },
      user: { paths: ['<codex>/AGENTS.override.md', '<codex>/AGENTS.md'] },
    },
    startSeconds: 10,
    lacks: {
      project: [
        'reads .codex/ only in a project that you have trusted',
        'skips each hook until you approve it: /hooks',
      ],
      user: ['skips each hook until you approve it: /hooks'],
    },
  },
  gemini: {
    title: 'Gemini CLI',
    // Antigravity has its own folders in `~/.gemini`, so that one alone says nothing.
    traces: {
      project: ['.gemini'],
      user: [
        '<home>/.gemini/settings.json',
        '<home>/.gemini/oauth_creds.json',
        '<home>/.gemini/installation_id',
        '<home>/.gemini/tmp',
      ],
      programs: ['gemini'],
      shared: [GEMINI_MD],
    },
    server: { project: json(['.gemini/settings.json']), user: json(['<home>/.gemini/settings.json']) },
    hooks: inBoth(GEMINI_HOOKS, '.gemini/settings.json', '<home>/.gemini/settings.json'),
    texts: { project: { paths: [GEMINI_MD] }, user: { paths: ['<home>/.gemini/GEMINI.md'] } },
    lacks: { project: [NOTES_AFTER_TOOL], user: [NOTES_AFTER_TOOL] },
  },
  qwen: {
    title: 'Qwen Code',
    traces: { project: ['.qwen', 'QWEN.md'], user: ['<home>/.qwen'], programs: ['qwen'] },
    server: { project: json(['.qwen/settings.json']), user: json(['<home>/.qwen/settings.json']) },
    hooks: inBoth(QWEN_HOOKS, '.qwen/settings.json', '<home>/.qwen/settings.json'),
    texts: { project: { paths: ['QWEN.md', 'AGENTS.md'] }, user: { paths: ['<home>/.qwen/QWEN.md'] } },
    lacks: { project: [NOTES_AFTER_TOOL], user: [NOTES_AFTER_TOOL] },
  },
  opencode: {
    title: 'opencode',
    traces: {
      project: ['.opencode', 'opencode.json', 'opencode.jsonc'],
      user: ['<config>/opencode'],
      programs: ['opencode'],
    },
    server: {
      project: json(['opencode.jsonc', 'opencode.json'], { list: 'mcp', form: OPENCODE }),
      user: json(['<config>/opencode/opencode.jsonc', '<config>/opencode/opencode.json'], {
        list: 'mcp',
        form: OPENCODE,
      }),
    },
    hooks: {
      project: [opencodeModule('.opencode/plugins/forge-memory.js')],
      user: [opencodeModule('<config>/opencode/plugins/forge-memory.js')],
    },
    texts: { project: { paths: AGENTS_MD }, user: { paths: ['<config>/opencode/AGENTS.md'] } },
    startSeconds: 5,
    lacks: { project: [NOTES_AFTER_TOOL], user: [NOTES_AFTER_TOOL] },
  },
  kilo: {
    title: 'Kilo Code',
    traces: { project: ['.kilo', 'kilo.json', 'kilo.jsonc'], user: ['<config>/kilo'], programs: ['kilo'] },
    server: {
      project: json(['kilo.jsonc', 'kilo.json'], { list: 'mcp', form: OPENCODE }),
      user: json(['<config>/kilo/kilo.jsonc', '<config>/kilo/kilo.json'], { list: 'mcp', form: OPENCODE }),
    },
    hooks: {
      project: [opencodeModule('.kilo/plugins/forge-memory.js', 'kilo')],
      user: [opencodeModule('<config>/kilo/plugins/forge-memory.js', 'kilo')],
    },
    texts: { project: { paths: AGENTS_MD }, user: { paths: ['<config>/kilo/AGENTS.md'] } },
    startSeconds: 5,
    lacks: { project: [NOTES_AFTER_TOOL], user: [NOTES_AFTER_TOOL] },
  },
  windsurf: {
    title: 'Windsurf (Cascade)',
    traces: { project: ['.windsurf', '.windsurfrules'], user: ['<home>/.codeium/windsurf'], programs: ['windsurf'] },
    server: { user: json(['<home>/.codeium/windsurf/mcp_config.json']) },
    hooks: inBoth(WINDSURF_HOOKS, '.windsurf/hooks.json', '<home>/.codeium/windsurf/hooks.json'),
    texts: {
      project: { paths: AGENTS_MD },
      user: { paths: ['<home>/.codeium/windsurf/memories/global_rules.md'], charsMax: 6000 },
    },
    lacks: {
      project: [
        'has no MCP file in a project: forge-memory init --agent windsurf --scope user writes the one it reads',
        NO_CONTEXT,
      ],
      user: [NO_CONTEXT],
    },
  },
  devin: {
    title: 'Devin',
    traces: { project: ['.devin'], user: ['<config>/devin'], programs: ['devin'] },
    server: { project: json(['.devin/mcp_config.json']), user: json(['<config>/devin/mcp_config.json']) },
    hooks: {
      project: [{ path: '.devin/hooks.v1.json', under: [], ...DEVIN_HOOKS }],
      user: [{ path: '<config>/devin/config.json', ...DEVIN_HOOKS }],
    },
    texts: { project: { paths: AGENTS_MD } },
    lacks: {
      project: [NOTES_AFTER_TOOL],
      user: [NOTES_AFTER_TOOL, 'has no instruction file of the user that is known'],
    },
  },
  zed: {
    title: 'Zed',
    traces: { project: ['.zed'], user: ['<config>/zed'], programs: ['zed'] },
    server: {
      project: json(['.zed/settings.json'], { list: 'context_servers', form: { ...PLAIN, fresh: { env: {} } } }),
      user: json(['<config>/zed/settings.json'], { list: 'context_servers', form: { ...PLAIN, fresh: { env: {} } } }),
    },
    hooks: {},
    // It reads only the first of these that exists.
    texts: {
      project: {
        paths: ['.rules', '.cursorrules', '.windsurfrules', '.clinerules', ...COPILOT_MD, 'AGENT.md', 'AGENTS.md'],
      },
      user: { paths: ['<config>/zed/AGENTS.md'] },
    },
    startSeconds: 60,
    lacks: {
      project: [NO_HOOKS, 'starts the server of a project only after you have trusted the folder'],
      user: [NO_HOOKS],
    },
  },
  cline: {
    title: 'Cline',
    traces: { project: ['.clinerules', '.cline'], user: ['<home>/.cline'], programs: ['cline'] },
    server: { user: json(['<cline>/settings/cline_mcp_settings.json']) },
    hooks: {
      project: clineModules('.clinerules/hooks', '.cline/plugins'),
      user: clineModules('<home>/.cline/hooks', '<home>/.cline/plugins'),
    },
    texts: { project: { paths: AGENTS_MD }, user: { paths: ['<home>/.agents/AGENTS.md'] } },
    startSeconds: 60,
    lacks: {
      project: ['has no MCP file in a project: forge-memory init --agent cline --scope user writes the one it reads'],
    },
  },
  roo: {
    title: 'Roo Code',
    traces: {
      project: ['.roo', '.roomodes', '.roorules'],
      user: ['<apps>/Code/User/globalStorage/rooveterinaryinc.roo-cline'],
      programs: [],
    },
    server: {
      project: json(['.roo/mcp.json'], { root: FOLDER }),
      user: json(['<apps>/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json']),
    },
    hooks: {},
    texts: { project: { paths: AGENTS_MD }, user: { paths: ['<home>/.roo/rules/forge-memory.md'] } },
    startSeconds: 60,
    lacks: { project: [NO_HOOKS], user: [NO_HOOKS] },
  },
  kiro: {
    title: 'Kiro',
    traces: { project: ['.kiro'], user: ['<kiro>'], programs: ['kiro', 'kiro-cli'] },
    server: { project: json(['.kiro/settings/mcp.json']), user: json(['<kiro>/settings/mcp.json']) },
    hooks: {},
    texts: { project: { paths: AGENTS_MD }, user: { paths: ['<kiro>/steering/forge-memory.md'] } },
    startSeconds: 5,
    lacks: {
      project: [
        'says in two ways what becomes of the words of a hook, so no hooks are written',
        'loads its files only in a workspace that you have trusted',
      ],
      user: ['says in two ways what becomes of the words of a hook, so no hooks are written'],
    },
  },
  goose: {
    title: 'Goose',
    traces: { project: ['.goosehints', '.goose'], user: ['<config>/goose'], programs: ['goose'] },
    server: {
      project: json(['.agents/plugins/forge-memory/.mcp.json']),
      user: { paths: ['<config>/goose/config.yaml'], format: 'yaml', list: 'extensions', form: GOOSE },
    },
    hooks: inBoth(
      GOOSE_HOOKS,
      '.agents/plugins/forge-memory/hooks/hooks.json',
      '<home>/.agents/plugins/forge-memory/hooks/hooks.json',
    ),
    texts: { project: { paths: AGENTS_MD }, user: { paths: ['<config>/goose/.goosehints'] } },
    lacks: { project: [NO_CONTEXT], user: [NO_CONTEXT] },
  },
  continue: {
    title: 'Continue',
    traces: { project: ['.continue', '.continuerules'], user: ['<continue>'], programs: ['cn'] },
    server: {
      project: json(['.continue/mcpServers/forge-memory.json'], { isUnread: true }),
      user: { paths: ['<continue>/config.yaml'], format: 'yaml list', list: 'mcpServers', form: NAMED },
    },
    hooks: {},
    texts: { project: { paths: AGENTS_MD }, user: { paths: ['<continue>/rules/forge-memory.md'] } },
    lacks: {
      project: [
        NO_HOOKS,
        'only editors of earlier releases read this file: forge-memory init --agent continue --scope user writes the one that is read',
      ],
      user: [NO_HOOKS],
    },
  },
  amp: {
    title: 'Amp',
    traces: { project: ['.amp'], user: ['<config>/amp'], programs: ['amp'] },
    server: {
      project: json(['.amp/settings.jsonc', '.amp/settings.json'], { list: 'amp.mcpServers' }),
      user: json(['<config>/amp/settings.jsonc', '<config>/amp/settings.json'], { list: 'amp.mcpServers' }),
    },
    hooks: {
      project: [ampModule('.amp/plugins/forge-memory.ts')],
      user: [ampModule('<config>/amp/plugins/forge-memory.ts')],
    },
    texts: { project: { paths: AGENTS_MD }, user: { paths: ['<config>/amp/AGENTS.md'] } },
    lacks: {
      project: [NOTES_AFTER_TOOL, 'starts the server of a project only after: amp mcp approve forge-memory'],
      user: [NOTES_AFTER_TOOL],
    },
  },
  junie: {
    title: 'Junie',
    traces: { project: ['.junie'], user: ['<junie>'], programs: ['junie'] },
    server: { project: json(['.junie/mcp/mcp.json']), user: json(['<junie>/mcp/mcp.json']) },
    hooks: { user: [{ path: '<junie>/config.json', ...JUNIE_HOOKS }] },
    texts: { project: { paths: ['.junie/AGENTS.md', 'AGENTS.md'] } },
    lacks: {
      project: ['reads no hooks from a project: forge-memory init --agent junie --scope user writes those it reads'],
      user: [
        'has no instruction file of the user that is known',
        'runs hooks in its command line only, not in an editor',
      ],
    },
  },
  antigravity: {
    title: 'Antigravity',
    traces: {
      project: ['.agents/mcp_config.json', '.agents/hooks.json'],
      user: ['<home>/.gemini/antigravity-cli', '<home>/.gemini/antigravity', '<home>/.gemini/config'],
      programs: ['agy'],
    },
    server: {
      project: json(['.agents/mcp_config.json']),
      user: json(['<home>/.gemini/config/mcp_config.json']),
    },
    hooks: {
      project: [{ path: '.agents/hooks.json', root: '../', ...ANTIGRAVITY_HOOKS }],
      user: [{ path: '<home>/.gemini/config/hooks.json', ...ANTIGRAVITY_HOOKS }],
    },
    texts: { project: { paths: AGENTS_MD }, user: { paths: ['<home>/.gemini/GEMINI.md'] } },
    lacks: { project: [NOTES_BEFORE_MODEL, BY_DOCUMENTATION], user: [NOTES_BEFORE_MODEL, BY_DOCUMENTATION] },
  },
  droid: {
    title: 'Factory droid',
    traces: { project: ['.factory'], user: ['<home>/.factory'], programs: ['droid'] },
    server: {
      project: json(['.factory/mcp.json'], { form: STDIO }),
      user: json(['<home>/.factory/mcp.json'], { form: STDIO }),
    },
    hooks: inBoth(DROID_HOOKS, '.factory/settings.json', '<home>/.factory/settings.json'),
    texts: { project: { paths: AGENTS_MD }, user: { paths: ['<home>/.factory/AGENTS.md'] } },
    lacks: {
      project: [NOTES_AFTER_TOOL, DROID_FILE, 'runs hooks only in a folder that you have trusted'],
      user: [NOTES_AFTER_TOOL, DROID_FILE],
    },
  },
  pi: {
    title: 'pi',
    traces: { project: ['.pi'], user: ['<pi>'], programs: ['pi'] },
    server: { project: json(['.pi/mcp.json']), user: json(['<pi>/mcp.json']) },
    hooks: {
      project: [piModule('.pi/extensions/forge-memory.js')],
      user: [piModule('<pi>/extensions/forge-memory.js')],
    },
    texts: { project: { paths: AGENTS_MD }, user: { paths: ['<pi>/AGENTS.md'] } },
    lacks: {
      project: [NOTES_AFTER_TOOL, PI_SERVERS, 'reads .pi/ only in a project that you have trusted'],
      user: [NOTES_AFTER_TOOL, PI_SERVERS],
    },
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    traces: { project: [], user: ['<apps>/Claude'], programs: [] },
    server: { user: json(['<apps>/Claude/claude_desktop_config.json'], { isPinned: true }) },
    hooks: {},
    texts: {},
    lacks: {
      project: [
        'reads no file of a project: forge-memory init --agent claude-desktop --scope user writes the one it reads',
      ],
      user: ['has neither hooks nor instruction files, and serves this one project', 'must be quit and started again'],
    },
  },
}
