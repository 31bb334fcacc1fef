import { signal } from '@preact/signals'

const STORED = 'forge-memory-token'

/** Private modes of browsers refuse storage; the token then lives as long as the page. */
function store(): Storage | undefined {
  try {
    return window.sessionStorage
  } catch {
    return undefined
  }
}

/** Takes the token out of the address at once, so that it is in no bookmark, screenshot or history entry. */
function takeFromAddress(): string | undefined {
  const found = /[#&?]token=([^&#]+)/.exec(location.hash)?.[1] ?? new URLSearchParams(location.search).get('token')
  if (!found) return undefined
  const route = location.hash.replace(/^#\/?(?:[&?]?token=[^&#]*)$/, '').replace(/[?&]token=[^&#]*/, '')
  history.replaceState(null, '', location.pathname + route)
  return decodeURIComponent(found)
}

/** What proves to the server that this page was opened by the user who started it. */
export const token = signal<string>(store()?.getItem(STORED) ?? '')

export function useToken(given: string): void {
  token.value = given
  store()?.setItem(STORED, given)
}

/** Reads the token at the start, and again when a new address is opened in the same tab. */
export function readAddress(): boolean {
  const given = takeFromAddress()
  if (given === undefined) return false
  useToken(given)
  return true
}
