// Lists on a terminal, walked with the arrow keys. A file of its own, because it brings libraries along.
import { MultiSelectPrompt } from '@clack/core'
import {
  formatInstructionFooter,
  isCancel,
  limitOptions,
  MULTISELECT_INSTRUCTIONS,
  S_BAR,
  S_BAR_END,
  S_CHECKBOX_INACTIVE,
  S_CHECKBOX_SELECTED,
  select,
  symbol,
  unicodeOr,
} from '@clack/prompts'
import { type Page, painterFor } from './page.js'

/** One line of a list. */
export interface Choice<Value extends string> {
  value: Value
  label: string
  /** Shown in parentheses beside the line under the cursor. */
  hint?: string
}

/** Marks the line under the cursor, where colours are off as well. */
const CURSOR = unicodeOr('❯', '>')
const NOTHING_MARKED = 'Mark at least one with space, or leave with Escape.'

/** Lets the user mark lines: space toggles, Enter goes on. At least one; undefined when they leave with Escape or Ctrl-C. */
export async function pickMany<Value extends string>(
  message: string,
  options: Choice<Value>[],
  initialValues: Value[],
): Promise<Value[] | undefined> {
  const paint = painterFor(1)
  giveSize()
  const picked = await new MultiSelectPrompt<Choice<string>>({
    options,
    initialValues,
    required: true,
    validate: (values) => (values === undefined || values.length === 0 ? NOTHING_MARKED : undefined),
    render() {
      return drawn(message, this, paint)
    },
  }).prompt()
  return isCancel(picked) ? undefined : (picked as Value[])
}

/** Terminals that a program made may have no size: the library would draw each letter on a line of its own. */
function giveSize(): void {
  const { stdout } = process
  if (stdout.columns === 0) stdout.columns = 80
  if (stdout.rows === 0) stdout.rows = 24
}

type List = Pick<MultiSelectPrompt<Choice<string>>, 'state' | 'value' | 'options' | 'cursor' | 'error'>

/** Draws a list in the frame of the other questions. */
function drawn(message: string, { state, value, options, cursor, error }: List, paint: Page['paint']): string {
  const head = `${S_BAR}\n${symbol(state)}  ${message}`
  const marked = new Set(value ?? [])
  if (state === 'submit' || state === 'cancel') {
    const labels = options.filter((option) => marked.has(option.value)).map(({ label }) => label)
    return `${head}\n${S_BAR}  ${state === 'cancel' ? 'cancelled' : labels.join(', ')}`
  }
  const foot =
    error === '' ? formatInstructionFooter(process.stdout, MULTISELECT_INSTRUCTIONS, true) : [`${S_BAR_END}  ${error}`]
  const lines = limitOptions({
    options: [...options],
    cursor,
    columnPadding: 3,
    rowPadding: foot.length + 3,
    style: (option, isUnderCursor) => lineOf(option, isUnderCursor, marked.has(option.value), paint),
  })
  return [head, ...lines.map((line) => `${S_BAR}  ${line}`), ...foot, ''].join('\n')
}

function lineOf({ label }: Choice<string>, isUnderCursor: boolean, isMarked: boolean, paint: Page['paint']): string {
  const box = isMarked ? S_CHECKBOX_SELECTED : S_CHECKBOX_INACTIVE
  return isUnderCursor ? `${CURSOR} ${box} ${paint('strong', label)}` : `  ${box} ${label}`
}

/** Lets the user choose one line; undefined when they leave with Escape or Ctrl-C. */
export async function pickOne<Value extends string>(
  message: string,
  options: Choice<Value>[],
): Promise<Value | undefined> {
  giveSize()
  const picked = await select<string>({ message, options })
  return isCancel(picked) ? undefined : (picked as Value)
}
