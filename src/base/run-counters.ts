/** What the loop counts in one run. Runtimes read `run.corrections`; the rest is the loop's own. */
export class RunCounters {
  /** Turns in which the model was asked. */
  modelCalls = 0;
  /** Tool calls of the turn; those made by code are not counted. */
  toolCalls = 0;
  /** Corrections since the last action. */
  corrections = 0;
  /** Outputs that did not fit their schema. */
  invalidOutputs = 0;
  /** Replies in a row that said nothing. */
  emptyReplies = 0;
  /** Replies in a row that the provider paused. */
  pauses = 0;
  /** Requests that were shortened and asked again. */
  overflowRecoveries = 0;
  /** Whether an action was carried out. */
  hasActed = false;
}
