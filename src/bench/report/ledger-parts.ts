import type { TokenLedger } from "../record.js";

/** The parts of the ledger in the order in which they are shown. */
export const ledgerParts = [
  "instructions",
  "tools",
  "question",
  "plan",
  "actions",
  "results",
  "repairs",
  "final",
] as const satisfies readonly (keyof TokenLedger)[];
