import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hookCopy } from '../../shared/home.js'
import { noteIn } from '../fields.js'

/** Hooks that capture take four seconds at most. */
const HOOK_MS = 5000

/**
 * Asks the program of hooks about an event, and returns the note that it has; nothing when it has none, or anything goes wrong. It is a process of its
 * own: whatever happens to it, the agent and its editor go on.
 */
export function askHook(event: string, payload: { cwd: string }): Promise<string | undefined> {
  const copy = hookCopy()
  const [command, ...words] = existsSync(copy) ? [copy] : [process.execPath, join(__dirname, 'main.js'), 'hook']
  return new Promise((resolve) => {
    const child = spawn(command as string, [...words, event, '--host=acp'], {
      cwd: payload.cwd,
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: HOOK_MS,
      killSignal: 'SIGKILL',
    })
    const said: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => said.push(chunk))
    child.on('error', () => resolve(undefined))
    child.on('close', () => resolve(noteIn(Buffer.concat(said).toString('utf8'))))
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify(payload))
  })
}
