/** Starts a command of this program for which nobody waits. */
export function startLater(args: string[]): void {
  const [, program = ''] = process.argv
  const { spawn } = process.getBuiltinModule('node:child_process')
  const child = spawn(process.execPath, [program, ...args], { detached: true, stdio: 'ignore', windowsHide: true })
  // Without it, the next one starts it.
  child.on('error', () => undefined).unref()
}
