/** The list of the view that is open. Views have at most one; the keys of lists go to it wherever the focus is. */
export const mainList: {
  current: { move: (key: string) => boolean; enter: () => void } | undefined
} = { current: undefined }
