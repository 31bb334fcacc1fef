import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { variable } from '../../shared/environment.js'
import { makeFolder } from '../../shared/make-folder.js'
import { write } from '../page/output.js'
import { openPage, type Page } from '../page/page.js'
import { isTerminal } from '../page/terminal.js'
import { type Chapter, type CommandLine, chapters } from './chapters.js'

function quoted(word: string): string {
  return /^[\w./:=@-]+$/.test(word) ? word : `"${word}"`
}

function shown(command: CommandLine): string {
  return `forge-memory ${command.map(quoted).join(' ')}`
}

/** Resolves paths against the folder in which the user typed the command, which npm stores in INIT_CWD. */
function absolute(folder: string): string {
  return resolve(variable('INIT_CWD') ?? process.cwd(), folder)
}

/** Uses the named folder, or asks for one on a terminal. */
async function chooseFolder(named: string | undefined): Promise<string> {
  if (named !== undefined) return absolute(named)
  const answer = isTerminal(0) && isTerminal(1) ? await ask('Folder for the tour [a new temporary one]: ') : ''
  return answer === '' ? mkdtempSync(join(tmpdir(), 'forge-memory-tour-')) : absolute(answer)
}

async function ask(question: string): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return (await prompt.question(question)).trim()
  } finally {
    prompt.close()
  }
}

/** Runs one command line and returns its exit code. */
export type Run = (argv: string[]) => Promise<number>

/** Runs the commands of a chapter until one fails, and returns the exit code. */
async function play({ title, text, commands }: Chapter, folder: string, page: Page, run: Run): Promise<number> {
  write(1, `\n${page.paint('strong', title)}\n${text === '' ? '' : `${text}\n`}`)
  for (const command of commands) {
    write(1, `\n${page.paint('good', `$ ${shown(command)}`)}\n`)
    const exitCode = await run([...command, '--no-pager', '--project', folder])
    if (exitCode !== 0) return exitCode
  }
  return 0
}

function farewell(folder: string, page: Page): string {
  const next = [
    `npm link     (once: puts forge-memory on your PATH; without it, type: node ${quoted(join(__dirname, 'main.js'))})`,
    `cd ${quoted(folder)}`,
    'forge-memory find npm audit',
    'forge-memory add -t lesson "what you just learned"',
    'forge-memory list',
    'forge-memory doctor',
    'forge-memory --help',
  ]
  return `\n${page.paint('strong', 'Next, type')}\n${next.map((line) => `  ${line}`).join('\n')}\n`
}

/** Runs every command of the tour, and returns the exit code. */
export async function takeTour(run: Run, named?: string): Promise<number> {
  const page = await openPage(1)
  const folder = await chooseFolder(named)
  makeFolder(folder)
  write(1, `The memory of this tour is in ${folder}\n`)
  for (const chapter of chapters) {
    const exitCode = await play(chapter, folder, page, run)
    if (exitCode !== 0) return exitCode
  }
  write(1, farewell(folder, page))
  return 0
}
