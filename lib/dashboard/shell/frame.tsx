import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Icon, type IconName } from '../part/icon.js'
import { short } from '../show/amount.js'
import { oneLine } from '../show/text.js'
import { placeFocus } from '../state/focus.js'
import { isDark, isNarrow, toggleTheme } from '../state/preferences.js'
import { useResources } from '../state/resource.js'
import { addressOf, route, type ViewName } from '../state/route.js'
import { names, review, status } from '../state/stores.js'
import { Connection } from './connection.js'
import { Help } from './help.js'
import { Notices } from './notices.js'
import { Outage } from './outage.js'
import { Palette } from './palette.js'
import { COMMAND_KEY, isHelpOpen, isPaletteOpen } from './shortcuts.js'

const VIEWS: { view: ViewName; label: string; icon: IconName }[] = [
  { view: 'memory', label: 'Memory', icon: 'memory' },
  { view: 'records', label: 'Records', icon: 'records' },
  { view: 'review', label: 'Review', icon: 'check' },
  { view: 'health', label: 'Health', icon: 'health' },
  { view: 'injections', label: 'Injections', icon: 'injections' },
  { view: 'anvil', label: 'Delivery', icon: 'anvil' },
  { view: 'lattice', label: 'Code graph', icon: 'lattice' },
  { view: 'hallmark', label: 'Provenance', icon: 'hallmark' },
]

/** The number of views in the bar of a phone; its last button opens the others. */
const FIRST_VIEWS = 4

function badgeOf(view: ViewName): ComponentChildren {
  const known = status.value.value
  if (view === 'records' && known) return <span class="badge">{short(known.counts.memories)}</span>
  const waiting = review.value.value?.waiting.length ?? 0
  if (view === 'review' && waiting > 0)
    return (
      <span class="badge">
        {short(waiting)}
        <span class="unseen"> to review</span>
      </span>
    )
  if (view === 'anvil' && known && known.deadLetters > 0)
    return (
      <span class="badge is-bad">
        {short(known.deadLetters)}
        <span class="unseen"> failed</span>
      </span>
    )
  return null
}

function Navigation() {
  const current = route.value.view === 'entry' ? 'records' : route.value.view
  const more = useRef<HTMLDetailsElement>(null)
  const items = VIEWS.map(({ view, label, icon }) => (
    <li key={view}>
      <a href={addressOf(view)} aria-current={view === current ? 'page' : undefined}>
        <Icon name={icon} />
        <span>{label}</span>
        {badgeOf(view)}
      </a>
    </li>
  ))
  if (!isNarrow.value)
    return (
      <nav class="navigation" aria-label="Views">
        <ul>{items}</ul>
      </nav>
    )
  const close = (): void => more.current?.removeAttribute('open')
  return (
    <nav class="navigation" aria-label="Views">
      <ul>
        {items.slice(0, FIRST_VIEWS)}
        <li>
          <details
            class="more"
            ref={more}
            onClick={(event) => (event.target as Element).closest('a') && close()}
            onKeyDown={(event) => event.key === 'Escape' && close()}
          >
            <summary>
              <Icon name="more" />
              <span>More</span>
            </summary>
            <ul class="more-views">{items.slice(FIRST_VIEWS)}</ul>
          </details>
        </li>
      </ul>
    </nav>
  )
}

function Brand() {
  const name = status.value.value?.projectName
  return (
    <div class="brand">
      <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect class="mark-ground" width="32" height="32" rx="8" />
        <path class="mark-letter" d="M9 24V8h14v4.2h-9.4v3.1h7.6v4.1h-7.6V24z" />
        <circle class="mark-spark" cx="22.5" cy="22" r="2.8" />
      </svg>
      <div class="brand-text">
        <span class="brand-name">forge-memory</span>
        <span class="brand-project">{name ? oneLine(name) : '\u00a0'}</span>
      </div>
    </div>
  )
}

function Tools() {
  return (
    <div class="tools">
      <Connection />
      <button
        type="button"
        class="button quiet icon-only"
        aria-label={isDark.value ? 'Use light colours' : 'Use dark colours'}
        onClick={toggleTheme}
      >
        <Icon name={isDark.value ? 'sun' : 'moon'} />
      </button>
      <button
        type="button"
        class="button quiet icon-only wide-only"
        aria-label="Keyboard shortcuts"
        onClick={() => {
          isHelpOpen.value = true
        }}
      >
        <Icon name="keyboard" />
      </button>
    </div>
  )
}

/** The navigation and the header around every view. */
export function Frame({ children }: { children: ComponentChildren }) {
  useResources(status, review, names)
  const main = useRef<HTMLElement>(null)
  const { view, id } = route.value
  const isFirst = useRef(true)
  // Before the next key arrives: it belongs to what a shortcut has focused.
  useLayoutEffect(() => {
    if (!isFirst.current && main.current) {
      window.scrollTo(0, 0)
      placeFocus(main.current)
    }
    isFirst.current = false
  }, [view, id])
  const skip = (event: MouseEvent): void => {
    event.preventDefault()
    main.current?.focus()
  }
  return (
    <div class="frame">
      {/* biome-ignore lint/a11y/useValidAnchor: it leads into the page, and the address belongs to the views */}
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header class="side">
        <Brand />
        <button
          type="button"
          class="button palette-opener"
          onClick={() => {
            isPaletteOpen.value = true
          }}
        >
          <Icon name="records" />
          <span class="palette-word">Search or do</span>
          <span class="key" aria-hidden="true">
            {COMMAND_KEY} K
          </span>
        </button>
        <Navigation />
        <Tools />
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <Outage />
        {children}
      </main>
      <Notices />
      <Help />
      <Palette />
    </div>
  )
}

/** The heading of a view, focused when the view opens. */
export function Heading({ title, children }: { title: string; children?: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · forge-memory`
  }, [title])
  return (
    <div class="heading">
      <h1 tabIndex={-1}>{title}</h1>
      {children && <p class="note">{children}</p>}
    </div>
  )
}
