import type { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/**
 * The styles of texts: the only place that names colours. Magenta and red are the two of the basic colours that can be read on light and on
 * dark backgrounds in common palettes, so no text has another one where there are only those, and `quiet` text is unstyled: faint text is
 * hard to read on many terminals. Nothing is said by a colour alone.
 */
export const THEME = {
  /** Headings, names, commands. */
  strong: 'bold',
  /** Types and bars. */
  accent: 'magenta',
  /** Dates, ids, sources, counts, and the confidence that nobody has chosen. */
  quiet: [],
  /** The words that a search matched. */
  match: ['bold', 'underline'],
  good: 'bold',
  warning: ['bold', 'magenta'],
  bad: ['bold', 'red'],
} as const satisfies Record<string, Style | readonly []>

export type Role = keyof typeof THEME

/** The grey and the yellow that can be read on light and on dark backgrounds, for terminals of 256 colours. */
export const ROLE_COLOURS: Partial<Record<Role, number>> = { quiet: 243, warning: 136 }

/**
 * The colours of types, the hues of the dashboard, for terminals of 256 colours: all can be read on light and on dark backgrounds. A type of
 * the user's own has the one of `accent`, and so have all types on other terminals.
 */
export const KIND_COLOURS: Record<string, number> = {
  gotcha: 130,
  lesson: 28,
  decision: 99,
  pattern: 33,
  convention: 30,
}
