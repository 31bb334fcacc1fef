import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Confirm } from '../part/dialog.js'
import { Icon, type IconName } from '../part/marks.js'
import { kindColour } from '../show/kind.js'
import { titleOf } from '../show/plain.js'
import { hasWords, oneLine } from '../show/text.js'
import { recent } from '../state/entry.js'
import { notify, notifyFailure } from '../state/notice.js'
import { pins, readPreference, togglePin, toggleTheme } from '../state/preferences.js'
import { captureText, doToAll, forgetting } from '../state/records.js'
import { addressOf, focusOn, go, type ViewName } from '../state/route.js'
import { useSearch } from '../state/search.js'
import { isHelpOpen, isPaletteOpen, keysTo } from './shortcuts.js'

const HITS = 8
const RECENT = 5

/** A record that the palette can act on. */
interface Subject {
  id: string
  text: string
}

/** One line of the palette. */
interface Choice {
  key: string
  icon: IconName
  label: string
  /** The colour of a record's type. */
  colour?: string
  detail?: string
  /** The keys that do the same without the palette. */
  keys?: string | undefined
  /** Additional search words. */
  words?: string
  /** The record of the line, whose actions are one key away. */
  subject?: Subject
  /** True if the palette stays open afterwards. */
  isStaying?: boolean
  run: () => void
}

const PLACES: { view: ViewName; id?: string; label: string; words: string; icon: IconName }[] = [
  { view: 'home', label: 'Home', words: 'memory overview recall feed live', icon: 'home' },
  { view: 'memories', label: 'Memories', words: 'records list search everything', icon: 'memory' },
  { view: 'review', label: 'Review', words: 'inbox proposed accept', icon: 'check' },
  { view: 'review', id: 'conflicts', label: 'Conflicts', words: 'review contradictions', icon: 'check' },
  { view: 'sessions', label: 'Notes given', words: 'injections hooks stats used tokens sessions', icon: 'sessions' },
  { view: 'sessions', id: 'past', label: 'Past sessions', words: 'history transcripts', icon: 'sessions' },
  { view: 'sessions', id: 'backfill', label: 'Lessons in past sessions', words: 'backfill', icon: 'sessions' },
  { view: 'health', label: 'Health', words: 'doctor files orphans cache index vectors drain', icon: 'health' },
  {
    view: 'health',
    id: 'delivery',
    label: 'Delivery',
    words: 'anvil queue failed dead letters drain shared store',
    icon: 'anvil',
  },
  { view: 'health', id: 'code', label: 'Code graph', words: 'lattice calls functions callers', icon: 'lattice' },
  { view: 'health', id: 'provenance', label: 'Provenance', words: 'hallmark stamp verified changed', icon: 'hallmark' },
  { view: 'health', id: 'settings', label: 'Settings', words: 'pause model review export', icon: 'settings' },
  { view: 'memories', id: 'map', label: 'Map', words: 'files folders picture treemap code', icon: 'lattice' },
  { view: 'memories', id: 'tags', label: 'Tags', words: 'rename labels', icon: 'tag' },
  { view: 'home', id: 'projects', label: 'All projects', words: 'switch other', icon: 'choose' },
]

function commands(): Choice[] {
  return [
    ...PLACES.map(({ view, id = '', label, words, icon }): Choice => {
      const run = () => go(addressOf(view, id))
      return { key: `${view}/${id}`, icon, label: `Go to ${label}`, words, keys: keysTo(view, id), run }
    }),
    {
      key: 'capture',
      icon: 'plus',
      label: 'Capture something',
      words: 'new',
      keys: 'c',
      run: () => focusOn('home', '#capture-text'),
    },
    { key: 'theme', icon: 'moon', label: 'Light or dark', words: 'theme colours', keys: 't', run: toggleTheme },
    {
      key: 'keys',
      icon: 'keyboard',
      label: 'Keyboard shortcuts',
      words: 'help',
      keys: '?',
      run: () => {
        isHelpOpen.value = true
      },
    },
  ]
}

/** The last query, and the memories that were opened last, without the one that is open. */
function recentChoices(openId: string | undefined): Choice[] {
  const query = readPreference('query') ?? ''
  const again: Choice = {
    key: 'again',
    icon: 'records',
    label: `Search again for “${oneLine(query)}”`,
    run: () => go(addressOf('memories', '', { q: query })),
  }
  const others = recent.value.filter(({ id }) => id !== openId)
  const opened = others.slice(0, RECENT).map(({ id, text }): Choice => {
    const run = () => go(addressOf('entry', id))
    return {
      key: `recent ${id}`,
      icon: 'records',
      label: titleOf(text),
      detail: 'opened lately',
      subject: { id, text },
      run,
    }
  })
  return query === '' ? opened : [again, ...opened]
}

function copy(text: string, what: string): void {
  void navigator.clipboard.writeText(text).then(
    () => notify(`${what} copied.`),
    () => notify('The browser allows no copying here.'),
  )
}

function actionsOn({ id, text }: Subject, askToForget: () => void): Choice[] {
  const isPinned = pins.value.includes(id)
  return [
    { key: 'open', icon: 'records', label: 'Open', run: () => go(addressOf('entry', id)) },
    { key: 'edit', icon: 'edit', label: 'Edit', keys: 'e', run: () => go(addressOf('entry', id, { edit: 'yes' })) },
    { key: 'pin', icon: 'pin', label: isPinned ? 'Unpin' : 'Pin', words: 'top', keys: 'p', run: () => togglePin(id) },
    { key: 'text', icon: 'copy', label: 'Copy the text', run: () => copy(text, 'Text') },
    { key: 'id', icon: 'copy', label: 'Copy the id', run: () => copy(id, 'Id') },
    { key: 'forget', icon: 'trash', label: 'Forget', words: 'delete remove', isStaying: true, run: askToForget },
  ]
}

interface ListProps {
  id: string
  choices: Choice[]
  at: number
  onPoint: (at: number) => void
  onRun: (choice: Choice) => void
}

function ChoiceList({ id, choices, at, onPoint, onRun }: ListProps) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [at])
  return (
    <div ref={list} id={id} role="listbox" aria-label="Choices" class="palette-choices">
      {choices.map((choice, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of a combobox are handled by its text field
        // biome-ignore lint/a11y/useFocusableInteractive: the text field keeps the focus and names the active option
        <div
          key={choice.key}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          onPointerMove={() => index !== at && onPoint(index)}
          onClick={() => onRun(choice)}
        >
          {choice.colour ? (
            <span class="kind-dot" style={{ color: `var(--${choice.colour})` }} aria-hidden="true" />
          ) : (
            <Icon name={choice.icon} />
          )}
          <span class="palette-label clip" dir="auto">
            {choice.label}
          </span>
          {choice.detail && <span class="note">{choice.detail}</span>}
          {choice.keys && (
            <span class="key" aria-hidden="true">
              {choice.keys}
            </span>
          )}
        </div>
      ))}
    </div>
  )
}

/** The open record, or the current one of a list with a preview. */
function openSubject(): Subject | undefined {
  const shown = document.querySelector<HTMLElement>('main [data-record]')
  const { record, text = '' } = shown?.dataset ?? {}
  return record === undefined ? undefined : { id: record, text }
}

function PaletteDialog() {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const box = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const [opened] = useState(openSubject)
  const [subject, setSubject] = useState<Subject>()
  const [forgetSubject, setForgetSubject] = useState<Subject>()
  const text = query.trim()
  const { found } = useSearch(subject ? '' : query, {}, HITS)
  // Before the next key, which belongs to the palette.
  useLayoutEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    box.current?.focus()
    return () => {
      const isNowhere = document.activeElement === document.body || document.activeElement === null
      if (isNowhere && before instanceof HTMLElement) before.focus()
    }
  }, [])
  useEffect(() => setAt(0), [text, subject])

  const close = (): void => {
    isPaletteOpen.value = false
  }
  const isMeant = ({ label, words = '' }: Choice) => hasWords(`${label} ${words}`, text)
  const choicesOf = (): Choice[] => {
    // The keys are those of the record that is open.
    if (subject) {
      const all = actionsOn(subject, () => setForgetSubject(subject)).map(({ keys, ...choice }) => choice)
      return all.filter(isMeant)
    }
    const here = opened ? [{ ...opened, label: 'this memory' }] : []
    const own = here.flatMap((one) =>
      actionsOn(one, () => setForgetSubject(one))
        .filter(({ key }) => key !== 'open')
        .map((choice) => ({ ...choice, key: `this-${choice.key}`, detail: 'this memory' })),
    )
    if (text === '') return [...own, ...recentChoices(opened?.id), ...commands()]
    const known = [...own, ...commands()].filter(isMeant)
    const hits = (found?.hits ?? []).map((hit): Choice => {
      return {
        key: hit.id,
        icon: 'records',
        colour: kindColour(hit.type),
        label: titleOf(hit.text),
        detail: oneLine(hit.type),
        subject: { id: hit.id, text: hit.text },
        run: () => go(addressOf('entry', hit.id)),
      }
    })
    return [
      ...known,
      ...hits,
      {
        key: 'search',
        icon: 'records',
        label: `Search for “${oneLine(text)}”`,
        run: () => go(addressOf('memories', '', { q: text })),
      },
      {
        key: 'capture-this',
        icon: 'plus',
        label: `Capture “${oneLine(text)}” as a lesson`,
        run: () => void captureText({ type: 'lesson', body: text, tags: [] }).catch(notifyFailure),
      },
    ]
  }
  const choices = choicesOf()
  const current = Math.min(at, Math.max(0, choices.length - 1))
  const run = (choice: Choice): void => {
    if (!choice.isStaying) close()
    choice.run()
  }
  const enter = (choice: Choice | undefined): boolean => {
    if (!choice?.subject) return false
    setSubject(choice.subject)
    setQuery('')
    return true
  }
  const leave = (): boolean => {
    if (!subject || query !== '') return false
    setSubject(undefined)
    return true
  }
  const step = (by: number): boolean => {
    const count = Math.max(1, choices.length)
    setAt((current + by + count) % count)
    return true
  }
  const KEYS: Record<string, () => boolean> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Enter: () => {
      const choice = choices[current]
      if (choice) run(choice)
      return true
    },
    Tab: () => enter(choices[current]) || true,
    Backspace: leave,
    Escape: leave,
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || !KEYS[event.key]?.()) return
    event.preventDefault()
    event.stopPropagation()
  }
  if (forgetSubject)
    return (
      <Confirm
        title="Forget this memory?"
        action="Forget"
        onClose={close}
        onConfirm={() => {
          close()
          void doToAll([forgetSubject.id], forgetting, forgetSubject.text).then((refused) => {
            if (refused.length === 0 && location.hash.includes(forgetSubject.id)) go(addressOf('memories'))
          })
        }}
      >
        <blockquote dir="auto">{oneLine(forgetSubject.text).slice(0, 300)}</blockquote>
      </Confirm>
    )
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click beside it closes it, and so does Escape
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search or do something"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      {subject && <p class="palette-subject note clip">{titleOf(subject.text)}</p>}
      <input
        ref={box}
        type="text"
        role="combobox"
        aria-expanded={choices.length > 0}
        aria-controls={choices.length > 0 ? id : undefined}
        aria-autocomplete="list"
        aria-activedescendant={choices.length > 0 ? `${id}-${current}` : undefined}
        aria-label={subject ? 'What to do with the memory' : 'Search or do something'}
        placeholder={subject ? 'What to do with it?' : 'Search, capture, go somewhere'}
        autoComplete="off"
        spellcheck={false}
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {choices.length > 0 ? (
        <ChoiceList id={id} choices={choices} at={current} onPoint={setAt} onRun={run} />
      ) : (
        <p class="note palette-none">Nothing fits.</p>
      )}
      <p class="palette-foot note" aria-hidden="true">
        <span>
          <kbd>↑</kbd>
          <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>↵</kbd> do it
        </span>
        <span>
          <kbd>Tab</kbd> what a memory can do
        </span>
        <span>
          <kbd>Esc</kbd> {subject ? 'back' : 'close'}
        </span>
      </p>
    </dialog>
  )
}

/** The command palette: one field to search, capture, open views and act on records. */
export function Palette() {
  return isPaletteOpen.value ? <PaletteDialog /> : null
}
