import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from './controls.js'
import { Form, TagField } from './fields.js'

interface DialogProps {
  title: string
  onClose: () => void
  actions?: ComponentChildren
  children: ComponentChildren
}

/** A modal dialog. The browser's own element traps the focus, closes on Escape and restores the focus. */
export function Dialog({ title, onClose, actions, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next key, which belongs to the dialog.
  useLayoutEffect(() => {
    if (dialog.current === null) return
    dialog.current.showModal()
    // The browser scrolls to the element that gets the focus, which is at the end of a long text.
    dialog.current.scrollTop = 0
  }, [])
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <div class="dialog-body">{children}</div>
      <div class="dialog-actions">{actions}</div>
    </dialog>
  )
}

interface ConfirmProps extends Omit<DialogProps, 'actions'> {
  action: string
  isBusy?: boolean
  onConfirm: () => unknown
}

/** A confirmation dialog. Cancel comes first and has the focus, so that pressing Enter destroys nothing. */
export function Confirm({ action, isBusy = false, onConfirm, ...dialog }: ConfirmProps) {
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button onClick={dialog.onClose}>Cancel</Button>
          <Button look="danger" disabled={isBusy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    />
  )
}

interface TagDialogProps {
  title: string
  label: string
  /** The text to begin with. */
  text?: string
  isOne?: boolean
  note?: string
  /** The word on the button for a text. */
  actionOf: (text: string) => string
  /** True if a text changes something. */
  isNew: (text: string) => boolean
  onText: (text: string) => unknown
  onClose: () => void
}

export function TagDialog({ title, label, text: given = '', isOne = false, note, ...rest }: TagDialogProps) {
  const [text, setText] = useState(given)
  return (
    <Dialog title={title} onClose={rest.onClose}>
      <Form onSubmit={() => rest.isNew(text) && rest.onText(text)}>
        <TagField label={label} value={text} isOne={isOne} onChange={setText} />
        {note && <p class="note">{note}</p>}
        <div class="form-actions">
          <Button type="submit" look="primary" disabled={!rest.isNew(text)}>
            {rest.actionOf(text)}
          </Button>
          <Button onClick={rest.onClose}>Cancel</Button>
        </div>
      </Form>
    </Dialog>
  )
}
