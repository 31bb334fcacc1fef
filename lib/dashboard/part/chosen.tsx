// Lists in which several things are decided at once: the chosen ones, the current one, and how many are drawn.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { titleOf } from '../show/plain.js'
import { whole } from '../show/text.js'
import { Button } from './controls.js'
import { Kind, Moment } from './marks.js'
import { mainList } from './rows.js'

/** The chosen entries of a list, for an action on many at once. Entries no longer listed are not chosen. */
export interface Chosen {
  here: string[]
  isAll: boolean
  has: (id: string) => boolean
  set: (ids: Iterable<string>) => void
  toggle: (id: string) => void
  toggleAll: () => void
}

export function useChosen(listed: string[]): Chosen {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const here = listed.filter((id) => chosen.has(id))
  const isAll = here.length === listed.length
  const set = (ids: Iterable<string>) => setChosen(new Set(ids))
  const toggle = (id: string) => set(here.includes(id) ? here.filter((other) => other !== id) : [...here, id])
  const has = (id: string) => chosen.has(id)
  return { here, isAll, has, set, toggle, toggleAll: () => set(isAll ? [] : listed) }
}

export function ChooseAll({ chosen, children }: { chosen: Chosen; children: ComponentChildren }) {
  return (
    <label class="check">
      <input type="checkbox" checked={chosen.isAll} onChange={chosen.toggleAll} />
      {children}
    </label>
  )
}

interface ToolbarProps {
  label: string
  actions: ComponentChildren
  children: ComponentChildren
}

export function Toolbar({ label, actions, children }: ToolbarProps) {
  return (
    <div class="row selection" role="toolbar" aria-label={label}>
      {children}
      <span class="form-actions selection-actions">{actions}</span>
    </div>
  )
}

/** The first ones of a list, and a button for the next ones. */
export function usePaged<T>(all: T[], size: number, look = ''): [shown: T[], more: ComponentChildren] {
  const [count, setCount] = useState(size)
  const more = all.length > count && (
    <Button look={look} onClick={() => setCount(count + size)}>
      Show {whole(Math.min(size, all.length - count))} more
    </Button>
  )
  return [all.slice(0, count), more]
}

/** The current item of a list that is not virtual: `j` and `k` move, and the focus goes with them. */
export function useCurrent(count: number, selector: string) {
  const [wanted, setWanted] = useState(0)
  const isMoved = useRef(false)
  const at = Math.min(wanted, Math.max(0, count - 1))
  const focus = (): void => {
    const target = document.querySelectorAll<HTMLElement>(selector)[at]
    target?.focus({ preventScroll: true })
    target?.scrollIntoView({ block: 'nearest' })
  }
  const move = (by: number): void => {
    isMoved.current = true
    setWanted(Math.max(0, Math.min(count - 1, at + by)))
  }
  useLayoutEffect(() => {
    if (isMoved.current) focus()
    isMoved.current = false
  }, [at])
  useLayoutEffect(() => {
    mainList.current = {
      move: (key) => {
        const isInside = document.activeElement?.closest(selector) !== null
        if (isInside) move(key === 'j' ? 1 : -1)
        else focus()
        return count > 0
      },
      enter: focus,
    }
    return () => {
      mainList.current = undefined
    }
  })
  return { at, setAt: setWanted, move }
}

interface ChoosableProps {
  id: string
  text: string
  type: string
  at?: string | undefined
  facts: string[]
  chosen: Chosen
  children: ComponentChildren
}

/** One of a list in which several are decided at once. */
export function Choosable({ id, text, type, at, facts, chosen, children }: ChoosableProps) {
  const name = titleOf(text)
  return (
    <li class="waiting-one" aria-label={name}>
      <input
        type="checkbox"
        checked={chosen.has(id)}
        aria-label={`Select: ${name}`}
        onChange={() => chosen.toggle(id)}
      />
      <div class="waiting-body">
        <p class="flow note">
          <Kind type={type} />{' '}
          {facts.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}{' '}
          {at && <Moment at={at} />}
        </p>
        {children}
      </div>
    </li>
  )
}
