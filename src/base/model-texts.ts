/**
 * What the model is told when something went wrong, or when it must go on. All of it stands here, so that it can be read in one go, tested word for
 * word, and matched by users. None of it holds a host path or a stack.
 */
import { cutText } from "./json.js";

const MAX_LISTED_TOOLS = 20;
const MAX_RAW_CHARS = 200;

/** Kinds of text that a failed call's result holds. */
export const modelTexts = {
  unknownTool: (toolName: string, available: readonly string[]): string =>
    `There is no tool named ${JSON.stringify(cutText(toolName, MAX_RAW_CHARS))}. ${listTools(available)}`,

  invalidJson: (toolName: string, reason: string): string => `Tool call ${toolName} emitted invalid JSON arguments: ${reason}`,

  /** Arguments that could not be read, as they came, short enough to be shown. */
  raw: (text: string): string => JSON.stringify(cutText(text.toWellFormed(), MAX_RAW_CHARS)),

  invalidArguments: (toolName: string, problems: readonly string[]): string =>
    `Tool call ${toolName} does not fit the tool's input schema; nothing was executed. ${problems.join("; ")}`,

  cutOff: (toolName: string): string =>
    `The output limit cut this reply, so tool call ${toolName} may be incomplete. Nothing was executed. Send less at once: shorter arguments, or fewer calls.`,

  disabled: (toolName: string, reason?: string): string =>
    `The policy does not allow tool ${toolName}${reason === undefined ? "." : `: ${sentence(reason)}`} Nothing was executed.`,

  denied: (toolName: string, reason: string): string => `Approval for tool ${toolName} was denied: ${reason} Nothing was executed.`,

  /** Reason of a denial when no approval callback was configured. */
  noApprovalCallback: "nobody can be asked for approval here.",

  /** Reason of a denial when the callback gave none. */
  noReason: "no reason was given.",

  /** Reason of a denial in the callback's own words. */
  reason: (reason: string): string => sentence(reason),

  /** Reason of a denial when the callback threw. */
  approvalThrew: (message: string): string => `asking for approval failed (${message}).`,

  /** Reason of a denial in a run within a run, which cannot be suspended. */
  cannotWait: "this run is a part of another one and cannot wait for an answer.",

  /** Reason of a denial when the callback answered with something else than a decision. */
  approvalUnreadable: "the answer to the approval request could not be read.",

  skipped: (toolName: string, reason: string | undefined): string =>
    `Tool call ${toolName} was skipped by a hook${reason === undefined ? "." : `: ${sentence(reason)}`} Nothing was executed.`,

  stopped: (toolName: string): string => `A hook stopped the run before tool ${toolName} was called. Nothing was executed.`,

  hookFailed: (label: string, message: string, executed: boolean): string =>
    executed
      ? `The hook ${label} failed after the tool had run: ${sentence(message)} The outcome of the call is not known.`
      : `The hook ${label} failed: ${sentence(message)} Nothing was executed.`,

  timedOut: (toolName: string, timeoutMs: number): string =>
    `Tool ${toolName} was given up after ${timeoutMs} ms. Its outcome is unknown: it may still have taken effect.`,

  aborted: (toolName: string, durationMs: number): string =>
    `The run was aborted ${durationMs} ms after tool ${toolName} was called. Its outcome is unknown: it may still have taken effect.`,

  abortedBeforeCall: (toolName: string): string => `The run was aborted before tool ${toolName} was called. Nothing was executed.`,

  interrupted: (toolName: string): string =>
    `The run was interrupted before tool ${toolName} gave a result. Its outcome is unknown: it may still have taken effect.`,

  notReached: (toolName: string): string =>
    `The run was interrupted before tool ${toolName} was called. Nothing was executed. Call it again if it is still needed.`,

  inputEdited: ({ toolName, toolCallId }: { toolName: string; toolCallId: string }, input: unknown): string =>
    `The person who approved tool call ${toolName} (${toolCallId}) changed its arguments to ${JSON.stringify(input)}.`,

  notActedOn: (toolName: string): string => `Tool call ${toolName} was not acted on. Nothing was executed.`,

  notJson: (toolName: string, problem: string): string => `Tool ${toolName} ran, but its result cannot be shown: ${problem}`,

  completionReminder: (completionTools: readonly string[]): string =>
    `This task is not finished by text alone. To finish, call ${completionTools.length === 1 ? "the tool" : "one of the tools"} ${completionTools.join(", ")}.`,

  outputToolDescription: "Gives the final answer and ends the task. Call it once, alone, when everything else is done.",

  outputInvalid: (problems: readonly string[], toolName: string | undefined): string =>
    `That is not an answer of the form that is asked for: ${problems.join("; ")}. ${
      toolName === undefined
        ? "Answer again, with JSON that fits the schema and nothing else."
        : `Give the answer by calling the tool ${toolName}.`
    }`,

  emptyReply: "Your last reply was empty. Answer with text, or call a tool.",

  cutOffReply: "The output limit cut your last reply before it said anything. Think less, and answer in fewer words.",

  overflowNothingToCompact: (providerText: string): string =>
    `The context window is exceeded and there is no conversation history to compact: the system prompt, the tools and the newest input alone are too large. Provider: ${providerText}`,

  overflowStillTooLarge: (providerText: string): string =>
    `The context window is still exceeded after compaction. Start a new conversation or compact harder in prepareTurn. Provider: ${providerText}`,

  overflowNoCompaction: (providerText: string): string =>
    `The context window is exceeded and no compaction is configured. Configure prepareTurn to shorten the messages, or start a new conversation. Provider: ${providerText}`,
} as const;

/**
 * A failed call as text, for protocols whose results have no error flag.
 * @returns `TOOL_ERROR: ` and JSON with `errorType`, `error`, `tool` and `callId`.
 */
export function toolErrorText(failure: { errorType: string; error: string; tool: string; callId: string }): string {
  const { errorType, error, tool, callId } = failure;
  return `TOOL_ERROR: ${JSON.stringify({ errorType, error, tool, callId })}`;
}

/** A call's output as text, for protocols that have no tool messages. */
export function toolResultText(result: { output: unknown; tool: string; callId: string }): string {
  const { output, tool, callId } = result;
  return `TOOL_RESULT: ${JSON.stringify({ output, tool, callId })}`;
}

/** Text from a hook, marked as such. Values are made safe, so that no value can close the block or open another. */
export function hookContextText(context: {
  source: "PreToolUse" | "PostToolUse";
  toolName: string;
  toolCallId: string;
  text: string;
}): string {
  const { source, toolName, toolCallId, text } = context;
  return `<hook_context source="${source}" tool_name="${escapeMarkup(toolName)}" tool_call_id="${escapeMarkup(toolCallId)}">${escapeMarkup(text)}</hook_context>`;
}

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function listTools(available: readonly string[]): string {
  if (available.length === 0) return "There are no tools.";
  const shown = available.slice(0, MAX_LISTED_TOOLS).join(", ");
  const more = available.length - MAX_LISTED_TOOLS;
  return `Available tools: ${shown}${more > 0 ? `, and ${more} more` : ""}.`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
