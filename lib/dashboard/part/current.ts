import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { mainList } from './main-list.js'

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
