import type { ChatConsole } from "./chat-console.js";
import type { CommandHost } from "./command.js";
import { type QuestionOptions, Questions } from "./questions.js";

/** Questions in a conversation, which has the input for itself already. */
export class ChatQuestions extends Questions {
  override readonly span = "conversation";
  readonly #console: ChatConsole;

  constructor(host: Pick<CommandHost, "terminal" | "interruption">, console: ChatConsole) {
    super(host);
    this.#console = console;
  }

  override ask(prompt: string, options: QuestionOptions): Promise<string | undefined> {
    return this.#console.ask(prompt, options);
  }
}
