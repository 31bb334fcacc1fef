import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

/** What is chosen of a list, for an action on many at once. What is no longer listed is not chosen. */
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

/** The checkbox that chooses everything of a list, or nothing. */
export function ChooseAll({ chosen, children }: { chosen: Chosen; children: ComponentChildren }) {
  return (
    <label class="check">
      <input type="checkbox" checked={chosen.isAll} onChange={chosen.toggleAll} />
      {children}
    </label>
  )
}
