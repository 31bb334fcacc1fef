// Plays recorded sessions of agents against the hooks: was what helps readable when it was needed?
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = join(
  root,
  readdirSync(root).find((name) => name.startsWith('forge-memory-hook.') && !name.endsWith('.tmp')),
)
const [folder] = process.argv.slice(2)
const read = (file) => readFileSync(join(folder, file), 'utf8')
const { lessons } = JSON.parse(read('gold.json'))
const stage = mkdtempSync(join(tmpdir(), 'forge-agents-'))
const project = join(stage, 'project')
mkdirSync(join(project, '.forge'), { recursive: true })
process.env.FORGE_HOME = join(stage, 'home')
const { memorySave } = await import(join(root, 'dist/index.js'))

function hook(event, fields) {
  const input = JSON.stringify({ hook_event_name: event, cwd: project, ...fields })
  const env = { ...process.env, FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' }
  const { stdout } = spawnSync(program, [], { input, env, encoding: 'utf8' })
  return stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext
}

const inProject = (text) => text.replaceAll('/repo/', `${project}/`)
let [wanted, readable] = [0, 0]
const known = []
for (const session of ['a1', 'b1', 'c1']) {
  let seen = ''
  const steps = read(`${session}.jsonl`)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  for (const [at, step] of steps.entries()) {
    const base = { session_id: session, tool_use_id: `${session}-${at}` }
    if (step.kind === 'start') {
      seen += hook('SessionStart', { ...base, source: 'startup' })
      seen += hook('UserPromptSubmit', { ...base, prompt: step.prompt })
    } else if (step.kind === 'mcp' && /memory_save$/.test(step.tool)) {
      const { pattern, category, tags } = step.input
      memorySave({ pattern, category, tags }, { projectDir: project })
    } else if (step.kind === 'bash' || step.kind === 'edit') {
      const tool =
        step.kind === 'bash'
          ? { tool_name: 'Bash', tool_input: step.input }
          : { tool_name: 'Edit', tool_input: { ...step.input, file_path: inProject(step.input.file_path) } }
      seen += hook('PreToolUse', { ...base, ...tool })
      const what = step.input.command ?? step.input.file_path
      for (const { before, needs } of lessons.filter(
        ({ from, before }) => known.includes(from) && new RegExp(before).test(what),
      )) {
        wanted += 1
        if (seen.includes(needs)) readable += 1
        else console.log(`${session} step ${at}: not readable before ${before}: ${needs}`)
      }
      if (step.failed) seen += hook('PostToolUseFailure', { ...base, ...tool, error: step.tail ?? '' })
    }
  }
  known.push(session)
}
rmSync(stage, { recursive: true, force: true })
console.log(`${basename(folder)}: ${readable} of ${wanted} steps`)
process.exitCode = readable === wanted ? 0 : 1
