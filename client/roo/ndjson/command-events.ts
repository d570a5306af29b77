import type { ClineMessage } from "../../../machines/message/message.ts";
import type { JsonEvent } from "../../../wire/ndjson/event.ts";
import { changeOf, type TextChange } from "../../text-change.ts";
import type { Line } from "./event-line.ts";

/** A command whose output is emitted. */
interface Running {
  /** The `ts` of the ask that approved it; every event of its output has it. */
  readonly id: number;
  readonly callId: string | undefined;
  /** The `ts` of the ask about its output, if any. */
  askId: number | undefined;
  /** The emitted output. */
  text: string;
  /** The source of its output: messages, or reports beside them. */
  source: "messages" | "reports";
  /** Whether its output or its end was reported beside the messages. */
  isReported: boolean;
  /** Whether its end was reported: its last message completes it, in one event. */
  hasExited: boolean;
  /** From `exited`. */
  exitCode: number | undefined;
}

/** The last facts of a command. By default those that are known of it. */
interface CommandEnd {
  readonly output?: string | undefined;
  readonly exitCode?: number | undefined;
  /** The end of the output that is not emitted yet. */
  readonly rest?: string;
}

/** Emits the output and the ends of commands. */
export class CommandEvents {
  readonly #emit: (line: Line) => void;
  readonly #running = new Map<number, Running>();
  /** The asks that approved the calls. */
  readonly #asks = new Map<string | undefined, number>();
  readonly #ended = new Set<number>();
  /** The ask of the newest command. */
  #newest: number | undefined;
  /** Whether output of background commands is reported. */
  #hasBackgroundOutput = false;

  constructor(emit: (line: Line) => void) {
    this.#emit = emit;
  }

  /** The ask of the newest command, if it has not ended. */
  get newest(): number | undefined {
    return this.#newest === undefined || this.#ended.has(this.#newest) ? undefined : this.#newest;
  }

  /** Read a message; returns whether it holds a command's output. */
  update(message: ClineMessage): boolean {
    if (message.ask === "command") {
      this.#asks.set(message.callId, message.ts);
      this.#newest = message.ts;
    }
    if (message.ask === "command_output") this.#readAsk(message);
    else if (message.say === "command_output") this.#readOutput(message);
    else {
      // The command continues in the background: its output appears in no message any more.
      if (message.say === "tool" && message.callId !== undefined) this.#continueInBackground(message.callId);
      return false;
    }
    return true;
  }

  grow(ts: number, suffix: string): boolean {
    for (const command of this.#running.values()) {
      if (command.askId !== ts) continue;
      if (command.source === "messages")
        this.#put(command, command.text + suffix, { kind: "growth", delta: suffix });
      return true;
    }
    return false;
  }

  /** Append reported output of the command that ask `id` approved. While a message shows its output, it is there. */
  chunk(id: number, text: string): void {
    if (this.#ended.has(id)) return;
    const command = this.#commandOf(id, undefined);
    command.isReported = true;
    if (command.askId === undefined) command.source = "reports";
    this.#appendReported(command, text);
  }

  /** Emit what is new of the whole output of the command that ask `id` approved. Its messages are not read any more. */
  snapshot(id: number, output: string): void {
    if (this.#ended.has(id)) return;
    const command = this.#commandOf(id, undefined);
    command.source = "reports";
    this.#show(command, output);
  }

  /** Note the end of a command. False where it is known already. */
  exited(id: number, exitCode: number | undefined): boolean {
    if (this.#ended.has(id)) return false;
    const command = this.#commandOf(id, undefined);
    command.isReported = true;
    command.hasExited = true;
    command.exitCode = exitCode ?? command.exitCode;
    return true;
  }

  /** Emit the end of a command for which no last message has come. */
  settle(id: number): void {
    const command = this.#running.get(id);
    if (command !== undefined) this.#end(command);
  }

  /** Expect the output and the ends of background commands. */
  expectBackgroundOutput(): void {
    this.#hasBackgroundOutput = true;
  }

  /** Add a command that runs already. */
  add(id: number, callId: string, isBackground: boolean): void {
    this.#asks.set(callId, id);
    if (isBackground) this.#commandOf(id, callId).source = "reports";
  }

  /** Append output of a background command. Before that its messages have its output. */
  appendBackgroundOutput(id: number, text: string): void {
    const command = this.#running.get(id);
    if (command !== undefined) this.#appendReported(command, text);
  }

  /** End a background command. */
  endBackgroundCommand(id: number, exitCode: number | undefined): void {
    const command = this.#running.get(id);
    if (command?.source === "reports") this.#end(command, { exitCode });
  }

  #readAsk(message: ClineMessage): void {
    const id = this.#idOf(message);
    if (this.#ended.has(id)) return;
    const isNew = this.#running.get(id)?.askId === undefined;
    const command = this.#commandOf(id, message.callId);
    command.askId = message.ts;
    this.#readText(command, message.text ?? "");
    if (isNew && command.text === "" && message.closing === undefined)
      this.#emit({ event: outputOf(command), isPart: true });
    if (message.closing === "withdrawn") this.#end(command);
  }

  #readOutput(message: ClineMessage): void {
    const id = this.#idOf(message);
    if (this.#ended.has(id)) return;
    const command = this.#commandOf(id, message.callId);
    const output = message.text ?? "";
    if (message.partial === true) this.#readText(command, output);
    else {
      // A text that is not longer was shortened or trimmed: nothing of the output is left to emit.
      const isLonger = output.length > command.text.length;
      const rest = isLonger && command.hasExited ? changeOf(command.text, output).delta : "";
      if (isLonger && rest === "") this.#show(command, output);
      this.#end(command, { output, exitCode: message.exitCode, rest });
    }
  }

  #continueInBackground(callId: string): void {
    for (const command of this.#running.values()) {
      if (command.callId !== callId) continue;
      if (this.#hasBackgroundOutput || command.isReported) command.source = "reports";
      // Its end will not be reported.
      else this.#end(command);
    }
  }

  #readText(command: Running, text: string): void {
    if (command.source === "messages") this.#show(command, text);
  }

  #appendReported(command: Running, text: string): void {
    if (command.source === "reports" && text !== "")
      this.#put(command, command.text + text, { kind: "growth", delta: text });
  }

  #show(command: Running, text: string): void {
    const change = changeOf(command.text, text);
    if (change.delta !== "") this.#put(command, text, change);
  }

  #put(command: Running, after: string, change: TextChange): void {
    const before = command.text;
    command.text = after;
    this.#emit({ of: command, before, after, change, make: (output) => outputOf(command, output) });
  }

  #end(
    command: Running,
    { output = command.text, exitCode = command.exitCode, rest = "" }: CommandEnd = {},
  ): void {
    this.#running.delete(command.id);
    this.#ended.add(command.id);
    const { askId: _ask, ...base } = outputOf(command);
    const result = { name: "execute_command", ...(exitCode !== undefined && { exitCode }) };
    this.#emit({
      event: { ...base, tool_result: { ...result, ...(rest !== "" && { output: rest }) }, done: true },
      whole: { ...base, tool_result: { ...result, output }, done: true },
    });
  }

  /** The ask that approved the command; in a foreign log without one, the first message of its output. */
  #idOf({ callId, ts }: ClineMessage): number {
    const asked = this.#asks.get(callId);
    if (asked !== undefined) return asked;
    for (const command of this.#running.values()) if (command.callId === callId) return command.id;
    return ts;
  }

  #commandOf(id: number, callId: string | undefined): Running {
    const known = this.#running.get(id);
    if (known !== undefined) return known;
    const command: Running = {
      id,
      callId,
      askId: undefined,
      text: "",
      source: "messages",
      isReported: false,
      hasExited: false,
      exitCode: undefined,
    };
    this.#running.set(id, command);
    return command;
  }
}

function outputOf({ id, askId }: Running, output?: string): JsonEvent {
  return {
    type: "tool_result",
    subtype: "command",
    id,
    ...(askId !== undefined && { askId }),
    tool_result: { name: "execute_command", ...(output !== undefined && { output }) },
  };
}
