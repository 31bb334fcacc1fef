import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface DialogProps {
  title: string
  onClose: () => void
  children: ComponentChildren
  actions: ComponentChildren
}

/** A modal window: the browser's own, which keeps the focus inside, closes on Escape and gives the focus back. */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <div class="dialog-body">{children}</div>
      <div class="dialog-actions">{actions}</div>
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  action: string
  isBusy?: boolean
  onConfirm: () => void
  onClose: () => void
  children: ComponentChildren
}

/** Asks before something that cannot be taken back. The way out comes first, so that Enter alone destroys nothing. */
export function Confirm({ title, action, isBusy = false, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" class="button danger" disabled={isBusy} onClick={onConfirm}>
            {action}
          </button>
        </>
      }
    >
      {children}
    </Dialog>
  )
}
