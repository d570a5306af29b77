import type { ClineMessage } from "../../machines/message/index.ts";
import type { JsonEvent } from "../../wire/index.ts";
import { changeOf, type TextChange } from "../text-change.ts";
import type { Line } from "./event-line.ts";

/** A command whose output is emitted. */
interface Running {
  /** The `ts` of the ask that approved it; every event of its output has it. */
  readonly id: number;
  readonly callId: string | undefined;
  /** The `ts` of the ask about its output, if any. */
  askId: number | undefined;
  text: string;
  /** Whether its output comes through `chunk`, not through messages. */
  hasChunks: boolean;
  /** Whether it continues in the background: no message has its output any more. */
  isBackground: boolean;
  /** From `exited`. */
  exitCode: number | undefined;
}

/** Emits the output and the ends of commands. */
export class CommandEvents {
  readonly #emit: (line: Line) => void;
  readonly #running = new Map<number, Running>();
  readonly #asks = new Map<string | undefined, number>();
  readonly #ended = new Set<number>();
  /** Whether output of background commands is reported. */
  #hasBackgroundOutput = false;

  constructor(emit: (line: Line) => void) {
    this.#emit = emit;
  }

  /** Read a message; returns whether it holds a command's output. */
  update(message: ClineMessage): boolean {
    if (message.ask === "command") this.#asks.set(message.callId, message.ts);
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
      this.#put(command, command.text + suffix, { kind: "growth", delta: suffix });
      return true;
    }
    return false;
  }

  /** Append output of the command that ask `id` approved. */
  chunk(id: number, text: string): void {
    if (this.#ended.has(id)) return;
    const command = this.#commandOf(id, undefined);
    command.hasChunks = true;
    if (text !== "") this.#show(command, command.text + text, { kind: "growth", delta: text });
  }

  /** Note the end of a command. False where it is known already. */
  exited(id: number, exitCode: number | undefined): boolean {
    if (this.#ended.has(id)) return false;
    this.#commandOf(id, undefined).exitCode = exitCode;
    return true;
  }

  /** Emit the end of a command for which no last message has come. */
  settle(id: number): void {
    const command = this.#running.get(id);
    if (command !== undefined) this.#end(command, command.text, command.exitCode);
  }

  /** Expect the output and the ends of background commands. */
  expectBackgroundOutput(): void {
    this.#hasBackgroundOutput = true;
  }

  /** Add a command that runs already. */
  add(id: number, callId: string, isBackground: boolean): void {
    this.#asks.set(callId, id);
    if (isBackground) this.#commandOf(id, callId).isBackground = true;
  }

  /** Append output of a background command. Before that its messages have its output. */
  appendBackgroundOutput(id: number, text: string): void {
    const command = this.#backgroundCommand(id);
    if (command !== undefined && text !== "")
      this.#show(command, command.text + text, { kind: "growth", delta: text });
  }

  /** End a background command. */
  endBackgroundCommand(id: number, exitCode: number | undefined): void {
    const command = this.#backgroundCommand(id);
    if (command !== undefined) this.#end(command, command.text, exitCode);
  }

  #backgroundCommand(id: number): Running | undefined {
    const command = this.#running.get(id);
    return command?.isBackground === true ? command : undefined;
  }

  #readAsk(message: ClineMessage): void {
    const id = this.#idOf(message);
    if (this.#ended.has(id)) return;
    const isNew = this.#running.get(id)?.askId === undefined;
    const command = this.#commandOf(id, message.callId);
    command.askId = message.ts;
    this.#update(command, message.text ?? "");
    if (isNew && command.text === "" && message.closing === undefined)
      this.#emit({ event: outputOf(command), isPart: true });
    if (message.closing === "withdrawn") this.#end(command, command.text, command.exitCode);
  }

  #readOutput(message: ClineMessage): void {
    const id = this.#idOf(message);
    if (this.#ended.has(id)) return;
    const command = this.#commandOf(id, message.callId);
    if (message.partial === true) this.#update(command, message.text ?? "");
    else this.#end(command, message.text ?? "", message.exitCode ?? command.exitCode);
  }

  #continueInBackground(callId: string): void {
    for (const command of this.#running.values()) {
      if (command.callId !== callId) continue;
      if (this.#hasBackgroundOutput || command.hasChunks) command.isBackground = true;
      // Its end will not be reported.
      else this.#end(command, command.text, undefined);
    }
  }

  #update(command: Running, text: string): void {
    const change = changeOf(command.text, text);
    if (change.delta !== "") this.#put(command, text, change);
  }

  #put(command: Running, after: string, change: TextChange): void {
    if (!command.hasChunks) this.#show(command, after, change);
  }

  #show(command: Running, after: string, change: TextChange): void {
    const before = command.text;
    command.text = after;
    this.#emit({ of: command, before, after, change, make: (output) => outputOf(command, output) });
  }

  #end(command: Running, output: string, exitCode: number | undefined): void {
    this.#running.delete(command.id);
    this.#asks.delete(command.callId);
    this.#ended.add(command.id);
    const { askId: _ask, ...event } = outputOf(command, output);
    const result = { name: "execute_command", output, ...(exitCode !== undefined && { exitCode }) };
    this.#emit({ event: { ...event, tool_result: result, done: true } });
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
      hasChunks: false,
      isBackground: false,
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
