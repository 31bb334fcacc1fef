import { useEffect, useState } from 'preact/hooks'
import { Icon } from './icon.js'

const SHOWN_MS = 1500

/** A button that copies a text to the clipboard and confirms it. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <button type="button" class="button quiet small" onClick={copy} aria-label={`Copy ${what}`}>
      <Icon name={isCopied ? 'check' : 'copy'} />
      <span role="status">{isCopied ? 'Copied' : ''}</span>
    </button>
  )
}

/** A command line with a copy button. */
export function Command({ text }: { text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <Copy text={text} what="the command" />
    </div>
  )
}
