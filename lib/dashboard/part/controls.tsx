// Controls that people press and choose from.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { whole } from '../show/text.js'
import { Icon, type IconName, Key } from './marks.js'

interface ButtonProps {
  /** How it looks: `small`, `quiet`, `primary`, `danger`; nothing for a plain one. */
  look?: string
  icon?: IconName
  /** Its name, where the text alone does not say it. */
  label?: string | undefined
  type?: 'button' | 'submit'
  title?: string
  disabled?: boolean
  /** The key that presses it. With `isKeyOn`, the button shows it. */
  shortcut?: string | undefined
  isKeyOn?: boolean
  isPressed?: boolean
  reach?: number
  onClick?: () => unknown
  children?: ComponentChildren
}

export function Button(props: ButtonProps) {
  const { look = '', icon, label, type = 'button', shortcut, isKeyOn, isPressed, reach, onClick, children } = props
  return (
    <button
      type={type}
      class={`button ${look}`}
      title={props.title}
      disabled={props.disabled}
      tabIndex={reach}
      aria-label={label}
      aria-pressed={isPressed}
      data-shortcut={isKeyOn === false ? undefined : shortcut}
      onClick={onClick && (() => void onClick())}
    >
      {icon && <Icon name={icon} />}
      {children}
      {isKeyOn !== undefined && shortcut && <Key name={shortcut} isOn={isKeyOn} />}
    </button>
  )
}

/** A key of a view that has no button of its own. */
export function Shortcut({ name, does }: { name: string; does: () => unknown }) {
  return <button type="button" hidden data-shortcut={name} onClick={() => void does()} />
}

const SHOWN_MS = 1500

export function Copy({ text, what }: { text: string; what: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <Button
      look="quiet small"
      icon={isCopied ? 'check' : 'copy'}
      label={`Copy ${what}`}
      onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      <span role="status">{isCopied ? 'Copied' : ''}</span>
    </Button>
  )
}

export function Command({ text }: { text: string }) {
  return (
    <div class="command">
      <code>{text}</code>
      <Copy text={text} what="the command" />
    </div>
  )
}

interface ChoiceProps<T extends string> {
  label: string
  options: { value: T; label: string }[]
  value: T
  onChange: (value: T) => unknown
}

/** A segmented control: a radio group with the keyboard behaviour of one. */
export function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>) {
  const name = useId()
  return (
    <fieldset class="choice">
      <legend class="unseen">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => void onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  )
}

interface CheckProps {
  isOn: boolean
  onChange: (isOn: boolean) => void
  children: ComponentChildren
}

export function Check({ isOn, onChange, children }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {children}
    </label>
  )
}

interface TabsProps {
  label: string
  tabs: { address: string; label: string; count?: number | undefined; isWarning?: boolean }[]
  /** The address of the open one. */
  current: string
}

export function Tabs({ label, tabs, current }: TabsProps) {
  const list = useRef<HTMLElement>(null)
  // On a phone not all fit.
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])
  return (
    <nav ref={list} class="tabs" aria-label={label}>
      {tabs.map(({ address, label, count, isWarning = false }) => (
        <a key={address} href={address} aria-current={address === current ? 'page' : undefined}>
          {label}
          {count !== undefined && <span class={`badge ${isWarning ? 'is-warning' : ''}`}>{whole(count)}</span>}
        </a>
      ))}
    </nav>
  )
}
