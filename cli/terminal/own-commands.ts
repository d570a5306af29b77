import { withoutMentions } from "../../actors/context/mention.ts";
import { TerminalText } from "../../tools/terminal-text.ts";
import { mask } from "../run/debug-log.ts";

/** Maximum commands whose output waits for a message: an older one is dropped. */
const COMMANDS_MAX = 5;

const START = "<command_run_by_user>";
const END = "</command_run_by_user>";
const ATTACHED = new RegExp(`\\n\\n${START}\\n(.*)\\n[\\s\\S]*?\\n${END}`, "g");

/** A message as it was typed, with the names of the commands whose output it has. */
export const withoutOutput = (message: string): string =>
  message.replace(ATTACHED, "\n(with the output of $1)");

/** A command that the user ran. */
export interface OwnCommand {
  readonly command: string;
  /** Such as `Exit code 0`. */
  readonly end: string;
  readonly output: string;
}

/** The commands that the user ran since the last message. Their output goes to the model with the next one. */
export class OwnCommands {
  readonly #secrets: readonly string[];
  #waiting: readonly OwnCommand[] = [];

  /** `secrets`, and text that looks like a key, are masked. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  add(command: OwnCommand): void {
    this.#waiting = [...this.#waiting, command].slice(-COMMANDS_MAX);
  }

  /** The message with the commands and their output. A mention in them is text. */
  attachedTo(message: string): string {
    return [message, ...this.#waiting.map((each) => this.#format(each))].join("\n\n");
  }

  /** The message was sent, or the output is not for the model. Returns the number of commands. */
  clear(): number {
    const { length } = this.#waiting;
    this.#waiting = [];
    return length;
  }

  #format({ command, end, output }: OwnCommand): string {
    const shown = new TerminalText();
    const text = shown.add(output) + shown.end();
    const lines = [`$ ${command}`, ...(text.trim() === "" ? [] : [text.trimEnd()]), `(${end.toLowerCase()})`];
    return withoutMentions(mask([START, ...lines, END].join("\n"), this.#secrets));
  }
}
