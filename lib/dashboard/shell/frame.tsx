import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from '../part/controls.js'
import { Icon, type IconName } from '../part/marks.js'
import { short } from '../show/text.js'
import { isDark, isNarrow, toggleTheme } from '../state/preferences.js'
import { useResources } from '../state/resource.js'
import { addressOf, placeFocus, placeOf, route, type ViewName } from '../state/route.js'
import { conflicts, names, review, status } from '../state/stores.js'
import { Brand } from './brand.js'
import { Connection } from './connection.js'
import { Help } from './help.js'
import { Notices } from './notices.js'
import { Outage } from './outage.js'
import { Palette } from './palette.js'
import { COMMAND_KEY, isHelpOpen, isPaletteOpen } from './shortcuts.js'

const VIEWS: { view: ViewName; label: string; icon: IconName }[] = [
  { view: 'home', label: 'Home', icon: 'home' },
  { view: 'memories', label: 'Memories', icon: 'memory' },
  { view: 'review', label: 'Review', icon: 'check' },
  { view: 'sessions', label: 'Sessions', icon: 'sessions' },
  { view: 'health', label: 'Health', icon: 'health' },
]

function badgeOf(view: ViewName): ComponentChildren {
  const known = status.value.value
  const waiting = (review.value.value?.waiting.length ?? 0) + (conflicts.value.value?.conflicts.length ?? 0)
  const badge = (count: number, says: string, look: string) => (
    <span class={`badge ${look}`}>
      {short(count)}
      <span class="unseen"> {says}</span>
    </span>
  )
  if (view === 'memories' && known) return <span class="badge">{short(known.counts.memories)}</span>
  if (view === 'review' && waiting > 0) return badge(waiting, 'to review', 'is-waiting')
  if (view === 'health' && known && known.deadLetters > 0)
    return badge(known.deadLetters, 'failed deliveries', 'is-warning')
  return null
}

function Navigation() {
  const current = route.value.view === 'entry' ? 'memories' : route.value.view
  return (
    <nav class="navigation" aria-label="Views">
      <ul>
        {VIEWS.map(({ view, label, icon }) => (
          <li key={view}>
            <a href={addressOf(view)} aria-current={view === current ? 'page' : undefined}>
              <Icon name={icon} />
              <span>{label}</span>
              {badgeOf(view)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Tools() {
  return (
    <div class="tools">
      <Connection />
      <Button
        look="quiet icon-only"
        icon={isDark.value ? 'sun' : 'moon'}
        label={isDark.value ? 'Use light colours' : 'Use dark colours'}
        onClick={toggleTheme}
      />
      <a class="button quiet icon-only" href={addressOf('health', 'settings')} aria-label="Settings">
        <Icon name="settings" />
      </a>
      <Button
        look="quiet icon-only wide-only"
        icon="keyboard"
        label="Keyboard shortcuts"
        onClick={() => {
          isHelpOpen.value = true
        }}
      />
    </div>
  )
}

export function Frame({ children }: { children: ComponentChildren }) {
  useResources(status, review, conflicts, names)
  const main = useRef<HTMLElement>(null)
  const place = placeOf(route.value)
  const isFirst = useRef(true)
  // Before the next key arrives: it belongs to the element that a shortcut has focused.
  useLayoutEffect(() => {
    if (!isFirst.current && main.current) {
      window.scrollTo(0, 0)
      placeFocus(main.current)
    }
    isFirst.current = false
  }, [place])
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
        <Button
          look="palette-opener"
          icon="records"
          onClick={() => {
            isPaletteOpen.value = true
          }}
        >
          <span class={isNarrow.value ? 'unseen' : undefined}>Search or do</span>
          <span class="key" aria-hidden="true">
            {COMMAND_KEY} K
          </span>
        </Button>
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
      <h1 tabIndex={-1} dir="auto">
        {title}
      </h1>
      {children && <p class="note">{children}</p>}
    </div>
  )
}

/** The way back from a view to the list of memories. */
export function Back({ address }: { address: string }) {
  return (
    <a class="back note" href={address} data-shortcut="Escape">
      <Icon name="back" />
      Memories
    </a>
  )
}
