/** What the verifier notes of open rows, by slot: the node in a cell and where in the text it stands; -1 where there is none. */
export let noted = new Int32Array(64)

/* Shared, since one text is verified at a time and nothing is kept of it. */

/** Makes room for so many notes; what is noted stays. */
export function growNotes (length: number): void {
  if (length <= noted.length) return
  const larger = new Int32Array(2 * length)
  larger.set(noted)
  noted = larger
}
