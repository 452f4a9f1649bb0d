/** Colours are variables of the style sheet, so that light and dark mode need no drawing anew. */
const ARM_COLOURS = 8;

/** The colour of a strategy by its place in the section. */
export function armColour(index: number): string {
  return `var(--arm-${(index % ARM_COLOURS) + 1})`;
}

/** The colour of a part of the ledger by its place. */
export function partColour(index: number): string {
  return `var(--part-${index + 1})`;
}
