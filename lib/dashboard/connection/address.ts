import { signal } from '@preact/signals'

const STORED = 'forge-memory-token'

/** Session storage; private modes of some browsers refuse it, and the token then lasts as long as the page. */
function store(): Storage | undefined {
  try {
    return window.sessionStorage
  } catch {
    return undefined
  }
}

/** Reads the token from the address and removes it there at once, so that no bookmark, screenshot or history entry has it. */
function takeFromAddress(): string | undefined {
  const found = /[#&?]token=([^&#]+)/.exec(location.hash)?.[1] ?? new URLSearchParams(location.search).get('token')
  if (!found) return undefined
  const route = location.hash.replace(/^#\/?(?:[&?]?token=[^&#]*)$/, '').replace(/[?&]token=[^&#]*/, '')
  history.replaceState(null, '', location.pathname + route)
  return decodeURIComponent(found)
}

/** The token of the server, which proves that this page was opened by the user who started the server. */
export const token = signal<string>(store()?.getItem(STORED) ?? '')

export function useToken(given: string): void {
  token.value = given
  store()?.setItem(STORED, given)
}

/** Reads the token when the page starts, and again when a new address is opened in the same tab. */
export function readAddress(): boolean {
  const given = takeFromAddress()
  if (given === undefined) return false
  useToken(given)
  return true
}
