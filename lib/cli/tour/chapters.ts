/** One command line of the tour, without the program's name. */
export type CommandLine = string[]

export interface Chapter {
  title: string
  text: string
  commands: CommandLine[]
}

const sweep = ['--tool', 'forge_sweep']
const plan = ['--source', 'forge_run_plan/slice-executor']

/** The chapters of the tour. Every command is really executed, and its actual output is shown. */
export const chapters: Chapter[] = [
  {
    title: 'Capture what was learned',
    text: 'Each memory is one line in a plain file under .forge/, which you can read, diff and commit.',
    commands: [
      ['add', '-t', 'gotcha', ...sweep, '--tag', 'jest', 'Jest needs --runInBand on Windows, or the gate times out'],
      ['add', '-t', 'lesson', ...plan, '--tag', 'vitest', 'pnpm vitest --run for CI; watch mode hangs the job'],
      ['add', '-t', 'decision', ...plan, 'Store money as integer cents, never as floating point'],
      ['add', '-t', 'lesson', ...sweep, 'Auth mocks must be set up in beforeEach, not at module scope'],
      ['add', '-t', 'lesson', ...plan, 'Run npm audit before every release'],
    ],
  },
  {
    title: 'The same lesson again is not stored twice',
    text: 'The whole history is searched before anything is written, for near copies as well as exact ones.',
    commands: [['add', '-t', 'lesson', ...sweep, 'auth mocks must be set up in beforeEach, not at the module scope']],
  },
  {
    title: 'But a reversal is kept',
    text: 'Two words apart and almost the same to a computer, yet it says the opposite.',
    commands: [['add', '-t', 'lesson', ...plan, 'No longer run npm audit before every release']],
  },
  {
    title: 'Secrets are removed before anything is stored',
    text: 'The password below is made up. It reaches no file.',
    commands: [
      ['add', '-t', 'gotcha', ...sweep, 'Staging answers only to postgres://app:hunter2-s3cret@db.internal/shop'],
    ],
  },
  {
    title: 'Save patterns for the next run',
    text: 'Short rules with a category and a confidence, for this project or (--scope global) for all of yours.',
    commands: [
      ['add', '-t', 'test_command', '--confidence', '0.9', 'pnpm test:unit runs in 8 s; pnpm test runs everything'],
      ['add', '-t', 'convention', '--confidence', '0.8', 'Route handlers live in src/routes, one file each'],
      ['add', '-t', 'convention', '--confidence', '0.8', 'route handlers live in src/routes, one file each'],
    ],
  },
  {
    title: 'Find',
    text: 'Type words, not syntax. The best match comes first.',
    commands: [
      ['find', 'why does vitest hang in CI?'],
      ['find', 'auth mocks'],
      ['find', '--limit', '1', 'how do we store money'],
    ],
  },
  {
    title: 'See what is there',
    text: '',
    commands: [['report']],
  },
]
