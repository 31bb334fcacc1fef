// The signs of coding agents: the variables that hosts set for the commands that they run, also on a terminal of theirs. Like the list of hosts
// for `init`; a test takes each.

interface Signs {
  /** Names of variables; with a value, only that one counts. Not those that a host sets in terminals of its user as well. */
  variables: (string | { name: string; value: RegExp })[]
  /** How they are known: read in the host's published package, or said by its documentation or by programs that detect it. */
  known: 'package' | 'documentation'
}

/** By the name of the agent. Hosts that are built upon another one set its variables as well, so they come before it. */
export const AGENT_SIGNS: Record<string, Signs> = {
  claude: { variables: ['CLAUDECODE', 'CLAUDE_CODE'], known: 'package' },
  cursor: {
    variables: ['CURSOR_AGENT', { name: 'CURSOR_EXTENSION_HOST_ROLE', value: /^agent-exec$/ }],
    known: 'documentation',
  },
  'copilot-cli': { variables: ['COPILOT_CLI'], known: 'documentation' },
  copilot: {
    variables: ['COPILOT_AGENT', { name: 'AI_AGENT', value: /^github_copilot_/i }],
    known: 'documentation',
  },
  codex: {
    variables: ['CODEX_THREAD_ID', 'CODEX_CI', 'CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED'],
    known: 'package',
  },
  qwen: { variables: ['QWEN_CODE'], known: 'package' },
  gemini: { variables: ['GEMINI_CLI'], known: 'package' },
  antigravity: { variables: ['ANTIGRAVITY_AGENT'], known: 'documentation' },
  kilo: { variables: ['KILO'], known: 'package' },
  opencode: { variables: ['OPENCODE', 'OPENCODE_CLIENT'], known: 'package' },
  cline: { variables: ['CLINE_ACTIVE'], known: 'documentation' },
  roo: { variables: ['ROO_ACTIVE'], known: 'documentation' },
  goose: { variables: ['GOOSE_TERMINAL'], known: 'documentation' },
  junie: { variables: ['JUNIE_DATA', 'JUNIE_SHIM_PATH'], known: 'documentation' },
  devin: { variables: [{ name: 'EDITOR', value: /devin/i }], known: 'documentation' },
  amp: {
    variables: ['AMP_CURRENT_THREAD_ID', 'AMP_THREAD_ID', { name: 'AGENT', value: /^amp$/ }],
    known: 'documentation',
  },
  crush: { variables: ['CRUSH', { name: 'AGENT', value: /^crush$/ }], known: 'documentation' },
  auggie: { variables: ['AUGMENT_AGENT'], known: 'package' },
  pi: { variables: ['PI_CODING_AGENT'], known: 'package' },
}

/**
 * Hosts of `init` without a variable of their own that is known. What they run is an agent's by a generic variable; without one it is a script's,
 * unless they have made a terminal for it.
 */
export const WITHOUT_SIGNS = ['windsurf', 'zed', 'kiro', 'continue', 'droid', 'claude-desktop']

/** Variables by which agents name themselves, whichever they are. */
const GENERIC = ['AI_AGENT', 'AGENT']

/** Names the agent that runs this command, as far as the environment shows it. */
export function agentIn(env: Record<string, string | undefined>): string | undefined {
  for (const [agent, { variables }] of Object.entries(AGENT_SIGNS)) {
    if (variables.some((sign) => isSet(sign, env))) return agent
  }
  const given = GENERIC.map((name) => env[name]).find((value) => (value ?? '') !== '')
  if (given === undefined) return undefined
  return /^[a-z][a-z0-9-]{0,31}/.exec(given.toLowerCase())?.[0] ?? 'agent'
}

function isSet(sign: Signs['variables'][number], env: Record<string, string | undefined>): boolean {
  if (typeof sign === 'string') return (env[sign] ?? '') !== ''
  return sign.value.test(env[sign.name] ?? '')
}
