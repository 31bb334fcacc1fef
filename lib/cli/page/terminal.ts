import { fstatSync } from 'node:fs'

/** Takes the cursor to the start of its line and empties the line. */
export const ERASE_LINE = '\r\u001b[2K'

/** What a terminal sends for Control-C, Control-D and Escape. */
export const LEAVING_KEYS = ['\u0003', '\u0004', '\u001b']

/**
 * Tells whether a file descriptor is a terminal.
 *
 * `node:tty` brings Node's whole network stack along, so it is loaded only when the cheap question leaves a doubt.
 */
export function isTerminal(descriptor: number): boolean {
  if (process.platform !== 'win32' && !isCharacterDevice(descriptor)) return false
  return process.getBuiltinModule('node:tty').isatty(descriptor)
}

function isCharacterDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice()
  } catch {
    // The descriptor is closed.
    return false
  }
}
