import { Failure } from './failure.js'
import { write } from './page/output.js'
import { isTerminal } from './page/terminal.js'

/** Joins the words on the command line to one text; a single `-` reads standard input. */
export async function readBody(words: string[]): Promise<string> {
  if (words.length !== 1 || words[0] !== '-') return words.join(' ')
  if (isTerminal(0))
    write(2, 'reading the text from standard input; end it with Ctrl-D on a line of its own (Windows: Ctrl-Z, Enter)\n')
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return withoutTrailingLineEnds(decode(Buffer.concat(chunks)))
}

function withoutTrailingLineEnds(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end -= text[end - 2] === '\r' ? 2 : 1
  return text.slice(0, end)
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const hint = 'convert it first, or set the shell to UTF-8'
    throw new Failure('INVALID_INPUT', 'standard input is not UTF-8 text', { hint })
  }
}
