import { fstatSync, statSync } from 'node:fs'

/** Control sequence: cursor to the start of the line, and erase the line. */
export const ERASE_LINE = '\r\u001b[2K'

/** Control sequence: erase from the cursor to the end of the line. */
export const ERASE_REST = '\u001b[K'

/** The begin and the end of an operating system command; BEL ends it in every terminal. */
export const OSC = '\u001b]'

/** Begins a code of colours. */
export const CSI = '\u001b['

/** Codes of colours and links, which take no room. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: codes of terminals begin with one
export const CODES = /(\u001b\[[0-9;]*m|\u001b\]8;[^\u0007]*\u0007)/
export const ST = '\u0007'

/** The bytes that a terminal sends for Control-C, Control-D and Escape. */
export const LEAVING_KEYS = ['\u0003', '\u0004', '\u001b']

/**
 * True if a file descriptor is a terminal.
 *
 * A cheap check of the file type comes first, because `node:tty` loads Node's whole network stack.
 */
export function isTerminal(descriptor: number): boolean {
  if (process.platform !== 'win32' && !isCharacterDevice(descriptor)) return false
  return process.getBuiltinModule('node:tty').isatty(descriptor)
}

/** The null device is one, too: schedulers and agents start commands with it. */
function isCharacterDevice(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor)
    return found.isCharacterDevice() && found.rdev !== statSync('/dev/null').rdev
  } catch {
    // The descriptor is closed, or there are no devices.
    return false
  }
}

/** Hands a text to the clipboard of the terminal, which may be on another machine than this program. */
export const copied = (text: string) => `${OSC}52;c;${Buffer.from(text).toString('base64')}${ST}`

/** A text in one of 256 colours. */
export const coloured = (text: string, colour: number) => `\u001b[38;5;${colour}m${text}\u001b[39m`
