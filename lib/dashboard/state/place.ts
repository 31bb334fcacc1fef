/** The last position in the list of records, its address and current row, to which the user returns. */
export const place: { address: string; row: number } = { address: '', row: 0 }
