// npm run replay: recorded sessions of tool calls against the real hooks.
//
//   --held                 plays the held-out sessions instead of those with which the rules were developed
//   --frameworks           plays those with the paths of frameworks and wrapped commands
//   --mistakes             lists wrong and missing notes
//   --json                 prints the figures as one JSON document
//   --transcript FILE      plays a Claude Code transcript of your own in --project DIR (default: here), and shows the notes that
//                          would be injected at each step; nothing is stored

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { failedGates, judge } from './judge.mjs'
import { makeProject, openStage, playSession } from './play.mjs'
import { gates, PARTS, projects, sessions } from './set.mjs'
import { tableOf } from './table.mjs'
import { readTranscript } from './transcript.mjs'

const { values: options } = parseArgs({
  options: {
    mistakes: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    held: { type: 'boolean', default: false },
    frameworks: { type: 'boolean', default: false },
    transcript: { type: 'string' },
    project: { type: 'string', default: '.' },
  },
})

const stage = openStage()
try {
  if (options.transcript === undefined) await playSet()
  else await playTranscript(options.transcript, resolve(options.project))
} finally {
  stage.close()
}

async function playSet() {
  const part = Object.keys(PARTS).find((name) => options[name]) ?? 'known'
  const all = sessions(part)
  const made = new Map([...projects(part)].map(([id, project]) => [id, makeProject(stage, project)]))
  const played = []
  for (const session of all) played.push(...(await playSession(stage, made.get(session.project), session)))
  const figures = judge(played)
  const failed = failedGates(figures, gates())
  if (options.json) process.stdout.write(`${JSON.stringify({ ...figures, sessions: all.length, failed })}\n`)
  else {
    const lines = [tableOf(figures, all.length)]
    if (options.mistakes) lines.push('', ...figures.mistakes)
    if (failed.length > 0) lines.push('', `below its gate: ${failed.join(', ')}`)
    process.stdout.write(`${lines.join('\n')}\n`)
  }
  process.exitCode = failed.length > 0 ? 1 : 0
}

async function playTranscript(path, cwd) {
  const session = { id: 'transcript', host: 'claude', steps: readTranscript(path) }
  const played = await playSession(stage, { cwd, keys: new Map() }, session)
  for (const { step, stdout } of played) {
    if (stdout === '') continue
    const { additionalContext } = JSON.parse(stdout).hookSpecificOutput
    const about = String(step.edit ?? step.read ?? step.run ?? step.fail).split('\n')[0]
    process.stdout.write(`${about}\n${additionalContext}\n`)
  }
  const injected = played.filter(({ stdout }) => stdout !== '')
  const tokens = injected.reduce((sum, each) => sum + each.tokens, 0)
  process.stdout.write(`${played.length} steps, ${injected.length} with a note, ${tokens} tokens\n`)
}
