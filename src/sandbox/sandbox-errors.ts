/** Base of every error that the sandbox throws: mistakes of the caller, not of guest code. `code` is stable; texts may change. */
export abstract class SandboxError extends Error {
  abstract readonly code: string;
}

/** An option cannot be used. Thrown before anything runs. */
export class SandboxOptionError extends SandboxError {
  override readonly name = "SandboxOptionError";
  readonly code = "sandbox-option";
  /** Path of the option, for example `limits.memoryMiB`. */
  readonly field: string;
  constructor({ field, problem, cause }: { field: string; problem: string; cause?: unknown }) {
    super(`${field}: ${problem}`, { cause });
    this.field = field;
  }
}

/** Something that the executor needs is not there. */
export class SandboxUnavailableError extends SandboxError {
  override readonly name = "SandboxUnavailableError";
  readonly code = "sandbox-unavailable";
  constructor({ problem, cause }: { problem: string; cause?: unknown }) {
    super(problem, { cause });
  }
}

/** Code was to run in a session that runs code already. */
export class SandboxBusyError extends SandboxError {
  override readonly name = "SandboxBusyError";
  readonly code = "sandbox-busy";
  constructor({ sessionId }: { sessionId: string }) {
    super(`Session ${sessionId} runs code already. Await the execution under way, or use a second session.`);
  }
}

/** An executor or a session was used after it was disposed of. */
export class SandboxDisposedError extends SandboxError {
  override readonly name = "SandboxDisposedError";
  readonly code = "sandbox-disposed";
  constructor({ what }: { what: string }) {
    super(`${what} was disposed of. Create a new one.`);
  }
}
